import { z } from 'zod';
import type { Answer } from '../../core/collaborator.ts';

/**
 * Returns the provider's error body. It never quotes the value, which may be an account number.
 */
export const razorpayxError = (code: string, description: string, field?: string) => ({
  error: {
    code,
    description,
    source: code === 'SERVER_ERROR' ? 'internal' : 'business',
    step: null,
    reason: code === 'SERVER_ERROR' ? 'server_error' : 'input_validation_failed',
    metadata: {},
    ...(field !== undefined && { field }),
  },
});

/** Returns the provider's 400. */
export const badRequest = (description: string, field?: string): Answer => ({
  status: 400,
  body: razorpayxError('BAD_REQUEST_ERROR', description, field),
});

/** Refuses an unknown id (page errors/x). */
export const unknownId: Answer = badRequest('The id provided does not exist');

const nameCharacters = /^[A-Za-z0-9 ’'\-_/().]*[A-Za-z0-9.]$/u;
const referenceId = z.string().min(1).max(40);

/** Describes the body of POST contacts. */
export const contactSchema = z.object({
  name: z.string().min(3).max(50).regex(nameCharacters),
  email: z.string().max(254).nullish(),
  contact: z
    .string()
    .regex(/^\+?\d{8,15}$/u)
    .nullish(),
  type: z.enum(['vendor', 'customer', 'employee', 'self']).nullish(),
  reference_id: referenceId.nullish(),
});

const bankAccountSchema = z.object({
  name: z.string().min(3).max(120).regex(nameCharacters),
  ifsc: z.string().regex(/^[A-Z]{4}0[A-Z0-9]{6}$/u),
  account_number: z.string().regex(/^[A-Za-z0-9]{5,35}$/u),
});

/** Describes the body of POST fund_accounts. */
export const fundAccountSchema = z.object({
  contact_id: z.string().min(1),
  account_type: z.literal('bank_account'),
  bank_account: bankAccountSchema,
});

/** Describes the body of POST payouts. */
export const payoutSchema = z.object({
  account_number: z.string(),
  fund_account_id: z.string().min(1),
  amount: z.number().int().min(100).max(Number.MAX_SAFE_INTEGER),
  currency: z.literal('INR'),
  mode: z.enum(['IMPS', 'NEFT', 'RTGS']),
  purpose: z.enum(['refund', 'cashback', 'payout', 'salary', 'utility bill', 'vendor bill']),
  queue_if_low_balance: z.boolean().optional(),
  reference_id: referenceId.nullish(),
  narration: z
    .string()
    .regex(/^[A-Za-z0-9 ]{1,30}$/u)
    .nullish(),
});

/** Describes the body of POST fund_accounts/validations in its composite form. */
export const validationSchema = z.object({
  source_account_number: z.string(),
  validation_type: z.enum(['pennydrop', 'optimized']).optional(),
  reference_id: referenceId.nullish(),
  fund_account: z.object({
    account_type: z.literal('bank_account'),
    bank_account: bankAccountSchema,
    contact: contactSchema,
  }),
});

/** Returns the body by its schema, or the 400 that names the first wrong field. */
export const readBody = <S extends z.ZodType>(
  schema: S,
  body: unknown,
): { value: z.output<S> } | { refused: Answer } => {
  const parsed = schema.safeParse(body);
  if (parsed.success) return { value: parsed.data };
  const field = parsed.error.issues[0]?.path.join('.') ?? '';
  return { refused: badRequest(`The ${field} field is not valid.`, field) };
};
