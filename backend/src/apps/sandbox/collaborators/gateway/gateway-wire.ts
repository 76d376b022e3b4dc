import { z } from 'zod';
import type { Answer } from '../../core/collaborator.ts';

const amountPaise = z.number().int().positive().max(Number.MAX_SAFE_INTEGER);
const currency = z.string().regex(/^[A-Z]{3}$/u);
const name = z.string().min(1).max(128);

/** Describes the body of POST orders. */
export const orderSchema = z.object({
  amount_paise: amountPaise,
  currency,
  receipt: name,
  expires_at: z.iso.datetime({ offset: true }).nullish(),
});

/** Describes the body of POST debits; `reference`, or the order's id, makes a repeat harmless. */
export const debitSchema = z.object({
  order_id: name,
  mandate_token: z.string().min(1).max(256),
  amount_paise: amountPaise,
  currency: currency.optional(),
  reference: name.optional(),
});

/** Returns the neutral gateway's error body. */
export const gatewayError = (code: string, message: string, field?: string) => ({
  error: { code, message, ...(field !== undefined && { field }) },
});

/** Returns the body by its schema, or the 400 that names the first wrong field. */
export const readBody = <S extends z.ZodType>(
  schema: S,
  body: unknown,
): { value: z.output<S> } | { refused: Answer } => {
  const parsed = schema.safeParse(body);
  if (parsed.success) return { value: parsed.data };
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.');
  const message = issue?.message ?? 'The body is not valid';
  return { refused: { status: 400, body: gatewayError('BAD_REQUEST', message, field) } };
};
