import { z } from 'zod';

/** A key: 8 to 128 of the allowed characters (contract: conventions > Idempotency). */
export const idempotencyKeySchema = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{8,128}$/u, 'must be 8 to 128 characters from A-Z, a-z, 0-9 and . _ : -');
