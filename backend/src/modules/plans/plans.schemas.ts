import { z } from 'zod';
import { MoneyError, RUPEES_PATTERN, formatRupees, paise, parseRupees } from '../../money/index.ts';
import { exampleOf, idParams, pageOf } from '../../platform/http/index.ts';
import { idempotencyKeySchema } from '../../platform/idempotency/index.ts';
import { goldOrderView, presentOrder, type GoldOrder } from '../orders/index.ts';
import { paymentOrderSchema, type PaymentOrderView } from '../payments/index.ts';
import { planStatuses, type Plan } from './plans.types.ts';
import { frequencies } from './schedule.rules.ts';

/** The maximum number of installments of a plan (contract: limits > Plans and jewellery). */
export const mostInstallments = 240;

/** The minimum amount of an installment. The operators' limit may be higher (contract: plans > Plan). */
const minInstallmentPaise = paise(1000n);

const amountInr = z
  .union([
    z.string().max(32).meta({ pattern: RUPEES_PATTERN.source }),
    z.number().meta({ minimum: 10 }),
  ])
  .transform((given, context) => {
    try {
      const amountPaise = parseRupees(given);
      if (amountPaise >= minInstallmentPaise) return amountPaise;
      context.addIssue({ code: 'custom', message: 'must be at least 10' });
    } catch (error) {
      if (!(error instanceof MoneyError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
    return z.NEVER;
  })
  .describe('The amount in rupees, including tax, with at most two decimals. The minimum is 10.');

export const createPlanBody = z.object({
  amount_inr: amountInr,
  frequency: z.enum(frequencies),
  duration_installments: z.int().min(1).max(mostInstallments),
  start_date: z.iso
    .date()
    .describe('The IST date of the first installment, at most a year ahead. The default is today.')
    .optional(),
  mandate_token: z
    .string()
    .min(1, 'must not be empty')
    .max(512, 'can be at most 512 characters')
    .regex(/^[\x21-\x7e]+$/u, 'must be printable ASCII without spaces')
    .describe(
      'The token of the mandate at the gateway, under which installments are debited. Without it ' +
        'the customer pays each installment.',
    )
    .optional(),
  mandate_max_inr: amountInr
    .describe('The maximum of one debit under the mandate, in rupees.')
    .optional(),
  mandate_valid_until: z.iso
    .date()
    .describe('The last IST date on which the mandate is valid.')
    .optional(),
  idempotency_key: idempotencyKeySchema,
});
createPlanBody.register(z.globalRegistry, {
  id: 'CreatePlanRequest',
  examples: [
    {
      amount_inr: '500.00',
      frequency: 'MONTHLY',
      duration_installments: 12,
      start_date: '2026-01-31',
      idempotency_key: 'plan-2026-01-15-0001',
    },
  ],
});
export type CreatePlanBody = z.output<typeof createPlanBody>;

/** A plan as its customer sees it. */
export const planView = z.object({
  id: z.uuid(),
  status: z.enum(planStatuses),
  amount_inr: z.string().regex(RUPEES_PATTERN),
  frequency: z.enum(frequencies),
  duration_installments: z.int().min(1).max(mostInstallments),
  start_date: z.iso.date(),
  has_mandate: z.boolean(),
  mandate_max_inr: z.string().regex(RUPEES_PATTERN).nullable(),
  mandate_valid_until: z.iso.date().nullable(),
  installments_raised: z.int().min(0).max(mostInstallments),
  next_due_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
  paused_at: z.iso.datetime().nullable(),
  cancelled_at: z.iso.datetime().nullable(),
  completed_at: z.iso.datetime().nullable(),
});
planView.register(z.globalRegistry, {
  id: 'SipPlan',
  description: 'A plan that buys gold for the same amount on the days of its schedule.',
  examples: [
    {
      id: '0199d8f2-9d3f-7a71-8f88-6c4d9eafb023',
      status: 'ACTIVE',
      amount_inr: '500.00',
      frequency: 'MONTHLY',
      duration_installments: 12,
      start_date: '2026-01-31',
      has_mandate: true,
      mandate_max_inr: '1000.00',
      mandate_valid_until: '2030-12-31',
      installments_raised: 1,
      next_due_at: '2026-02-28T03:30:00.000Z',
      created_at: '2026-01-15T09:30:00.000Z',
      paused_at: null,
      cancelled_at: null,
      completed_at: null,
    },
  ],
});
export const planPage = pageOf(planView);

/** An installment as its customer sees it: a gold order with its number and payment order. */
export const installmentView = goldOrderView.extend({
  installment_no: z.int().min(1).max(mostInstallments),
  due_at: z.iso.datetime(),
  payment: paymentOrderSchema.nullable(),
});
installmentView.register(z.globalRegistry, {
  id: 'Installment',
  description: 'The gold order of one installment of a plan, with its latest payment order.',
  examples: [
    {
      ...exampleOf(goldOrderView),
      type: 'SIP_INSTALLMENT',
      quote_id: null,
      installment_no: 1,
      due_at: '2026-01-15T09:30:00.000Z',
      payment: exampleOf(paymentOrderSchema),
    },
  ],
});
export const installmentPage = pageOf(installmentView);

export const installmentParams = idParams.extend({ orderId: z.uuid().toLowerCase() });

/**
 * The body of the request to skip the next installment. It names the installment's due time, so that a
 * repeated request does not skip a second installment.
 */
export const skipNextBody = z.object({ due_at: z.iso.datetime().pipe(z.coerce.date()) });
skipNextBody.register(z.globalRegistry, {
  id: 'SkipNextRequest',
  examples: [{ due_at: '2026-02-28T03:30:00.000Z' }],
});

/** The path of an installment by its number, because it may be announced before it has an order. */
export const skipParams = idParams.extend({
  number: z
    .string()
    .regex(/^[1-9][0-9]{0,2}$/u)
    .describe('The number of the installment, from 1.')
    .pipe(z.coerce.number()),
});

export const presentPlan = (plan: Plan): z.output<typeof planView> => ({
  id: plan.id,
  status: plan.status,
  amount_inr: formatRupees(plan.amountPaise),
  frequency: plan.frequency,
  duration_installments: plan.durationInstallments,
  start_date: plan.startDate,
  has_mandate: plan.mandate !== undefined,
  mandate_max_inr:
    plan.mandate?.maxPaise === undefined ? null : formatRupees(plan.mandate.maxPaise),
  mandate_valid_until: plan.mandate?.endsOn ?? null,
  installments_raised: plan.installmentsRaised,
  next_due_at: plan.status === 'PAUSED' ? null : (plan.nextDueAt?.toISOString() ?? null),
  created_at: plan.createdAt.toISOString(),
  paused_at: plan.status === 'PAUSED' ? (plan.pausedAt?.toISOString() ?? null) : null,
  cancelled_at: plan.cancelledAt?.toISOString() ?? null,
  completed_at: plan.completedAt?.toISOString() ?? null,
});

/**
 * Presents an installment with `payment`, its latest payment order (contract: plans >
 * Installments).
 */
export const presentInstallment = (
  order: GoldOrder,
  payment: PaymentOrderView | undefined,
): z.input<typeof installmentView> => ({
  ...presentOrder(order),
  installment_no: order.installmentNo ?? 0,
  due_at: order.dueAt?.toISOString() ?? '',
  payment: payment ?? null,
});
