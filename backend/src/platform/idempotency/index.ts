export { createIdempotency, type Claim, type Idempotency } from './create-idempotency.ts';
export { idempotencyKeySchema } from './idempotency-key.ts';
export type { KeyedRequest, KeyScope } from './idempotency.store.ts';
