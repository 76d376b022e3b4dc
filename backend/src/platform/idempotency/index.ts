export {
  createIdempotency,
  idempotencyKeySchema,
  payloadHash,
  type Claim,
  type Idempotency,
} from './create-idempotency.ts';
export {
  createKeyPurge,
  eraseKeys,
  type KeyedRequest,
  type KeyScope,
} from './idempotency.store.ts';
