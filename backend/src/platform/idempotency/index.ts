export {
  createIdempotency,
  idempotencyKeySchema,
  payloadHash,
  type Claim,
  type HeldKey,
  type Idempotency,
  createKeyPurge,
  eraseKeys,
  type KeyScope,
} from './idempotency.ts';
