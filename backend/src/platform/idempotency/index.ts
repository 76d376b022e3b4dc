export { createIdempotency, type Claim, type Idempotency } from './create-idempotency.ts';
export { idempotencyKeySchema } from './idempotency-key.ts';
export type { KeyScope } from './idempotency.store.ts';
