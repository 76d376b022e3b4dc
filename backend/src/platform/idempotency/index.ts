export { eraseKeys } from './erase-keys.ts';
export { createIdempotency, type Claim, type Idempotency } from './create-idempotency.ts';
export { createKeyPurge } from './purge-keys.ts';
export { idempotencyKeySchema } from './idempotency-key.ts';
export type { KeyedRequest, KeyScope } from './idempotency.store.ts';
export { payloadHash } from './payload-hash.ts';
