export {
  createIdempotency,
  idempotencyKeySchema,
  payloadHash,
  type Claim,
  type Idempotency,
  createKeyPurge,
  eraseKeys,
  type KeyedRequest,
  type KeyScope,
} from './idempotency.ts';
