import { z } from 'zod';
import { formatDecimal, parseDecimal } from '../../../../money/index.ts';
import { addMs } from '../../../../platform/clock/clock.ts';
import type { Answer } from '../../core/collaborator.ts';
import { jsonDecimal } from '../../core/wire-json.ts';

/** Writes rupees as a JSON number with two decimals, such as 170.00. */
export const rupees = (paise: number) => jsonDecimal(formatDecimal(BigInt(paise), 2));

const istOffsetMs = 330 * 60_000;

/** Writes a time as Cashfree does, in seconds and in Indian time. */
export const timeText = (date: Date): string =>
  `${addMs(date, istOffsetMs).toISOString().slice(0, 19)}+05:30`;

/** Reads rupees of at least one, with at most two decimals, into paise. */
const amount = z.number().transform((value, context): number => {
  const paise = parseDecimal(String(value), 2);
  if (paise !== undefined && paise >= 100n && paise <= Number.MAX_SAFE_INTEGER) {
    return Number(paise);
  }
  context.addIssue({ code: 'custom', message: 'should be 1 or more, with at most two decimals' });
  return z.NEVER;
});

const merchantId = z.string().regex(/^[A-Za-z0-9_-]{3,45}$/u);
const phone = z.string().regex(/^(?:\d{10}|\+\d{8,15})$/u);

/** Describes the body of POST /orders. */
export const orderSchema = z.object({
  order_id: merchantId.optional(),
  order_amount: amount,
  order_currency: z.string().regex(/^[A-Z]{3}$/u),
  customer_details: z.object({
    customer_id: z.string().regex(/^[A-Za-z0-9]{1,50}$/u),
    customer_phone: phone,
    customer_email: z.string().max(100).nullish(),
    customer_name: z.string().max(100).nullish(),
  }),
  order_expiry_time: z.iso.datetime({ offset: true }).optional(),
  order_note: z.string().max(200).nullish(),
  order_tags: z.record(z.string(), z.string().max(255)).nullish(),
});

/** Describes the fields of POST /subscriptions that the sandbox stores. */
export const subscriptionSchema = z.object({
  subscription_id: z.string().regex(/^[\w.-]{1,250}$/u),
  customer_details: z.object({ customer_phone: phone, customer_email: z.string().nullish() }),
});

/** Describes the body of POST /subscriptions/pay for a charge, not for an authorisation. */
export const chargeSchema = z.object({
  subscription_id: z.string().min(1).max(250),
  payment_id: merchantId,
  payment_type: z.literal('CHARGE'),
  payment_amount: amount,
  payment_schedule_date: z.string().regex(/^\d{4}-\d\d-\d\d/u),
});

/** Returns Cashfree's error body. */
export const cashfreeError = (code: string, message: string, type = 'invalid_request_error') => ({
  message,
  code,
  type,
});

/** Returns Cashfree's refusal. */
export const refusal = (status: number, code: string, message: string): Answer => ({
  status,
  body: cashfreeError(code, message),
});

/** Refuses a body that differs from the first body that was sent with its key. */
export const idempotencyRefusal: Answer = {
  status: 422,
  body: cashfreeError(
    'request_invalid',
    'Request body does not match the one of this idempotency key',
    'idempotency_error',
  ),
};

/** Returns the body by its schema, or the 400 that names the first wrong field. */
export const readBody = <S extends z.ZodType>(
  schema: S,
  body: unknown,
): { value: z.output<S> } | { refused: Answer } => {
  const parsed = schema.safeParse(body);
  if (parsed.success) return { value: parsed.data };
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  const message = `${field} : ${issue?.message ?? 'is not valid'}`;
  return { refused: refusal(400, `${field}_invalid`, message) };
};
