import { z } from 'zod';
import { toSafePaise } from '../../money/index.ts';
import {
  betweenQuery,
  exampleOf,
  idInput,
  pageOf,
  pageQuery,
  plainText,
  rangeQuery,
} from '../../platform/http/index.ts';
import {
  attemptStatuses,
  payoutHolds,
  payoutStatuses,
  type Payout,
  type PayoutAttempt,
} from './payouts.types.ts';

/** A payout as its customer sees it (contract: payouts > Payout routes). */
export const payoutViewSchema = z.object({
  id: z.uuid(),
  orderId: z.uuid(),
  bankAccountId: z.uuid(),
  accountLast4: z.string().length(4),
  amountPaise: z.int().positive(),
  status: z.enum(payoutStatuses),
  mode: z.string(),
  utr: z.string().nullable(),
  attempt: z.int().min(0),
  failureReason: z.string().nullable(),
  createdAt: z.iso.datetime(),
  paidAt: z.iso.datetime().nullable(),
});
payoutViewSchema.register(z.globalRegistry, {
  id: 'Payout',
  description: 'A transfer of the proceeds of a sale to a bank account.',
  examples: [
    {
      id: '0199d8f2-8c2e-7f60-9e77-5b3c8d9eaf12',
      orderId: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      bankAccountId: '0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e01',
      accountLast4: '4321',
      amountPaise: 70_500,
      status: 'PAID',
      mode: 'IMPS',
      utr: '601512345678',
      attempt: 1,
      failureReason: null,
      createdAt: '2026-01-15T09:30:00.000Z',
      paidAt: '2026-01-15T09:30:00.000Z',
    },
  ],
});

/** A payout as operators see it. */
export const payoutOperatorView = payoutViewSchema.extend({
  userId: z.uuid(),
  approvedBy: z.uuid().nullable(),
  providerPayoutId: z.string().nullable(),
  hold: z
    .enum(payoutHolds)
    .nullable()
    .describe('The reason why the payout waits for approval, other than the payout cap, or null.'),
});
payoutOperatorView.register(z.globalRegistry, {
  id: 'OperatorPayout',
  description: 'A payout as operators see it.',
  examples: [
    {
      ...exampleOf(payoutViewSchema),
      userId: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b11',
      approvedBy: null,
      providerPayoutId: 'sbx_payout_1001',
      hold: null,
    },
  ],
});

export const payoutPage = pageOf(payoutViewSchema);
export const payoutOperatorPage = pageOf(payoutOperatorView);

export const payoutsQuery = pageQuery.extend(betweenQuery);

const attemptView = z.object({
  attempt: z.int().positive(),
  status: z.enum(attemptStatuses),
  providerPayoutId: z.string().nullable(),
  startedAt: z.iso.datetime(),
  lastAskedAt: z.iso.datetime().nullable(),
  contradictedAt: z.iso
    .datetime()
    .nullable()
    .describe(
      'The time at which the provider contradicted an earlier report. Null if it never did.',
    ),
});

/** A payout with all of its attempts, newest first. */
export const payoutOperatorDetail = payoutOperatorView.extend({ attempts: z.array(attemptView) });
payoutOperatorDetail.register(z.globalRegistry, {
  id: 'OperatorPayoutDetail',
  description: 'A payout with its attempts, newest first.',
  examples: [
    {
      ...exampleOf(payoutOperatorView),
      attempts: [
        {
          attempt: 1,
          status: 'PAID',
          providerPayoutId: 'sbx_payout_1001',
          startedAt: '2026-01-15T09:31:00.000Z',
          lastAskedAt: '2026-01-15T09:31:00.000Z',
          contradictedAt: null,
        },
      ],
    },
  ],
});

export const presentPayoutDetail = (payout: Payout, attempts: readonly PayoutAttempt[]) => ({
  ...presentPayoutForOperator(payout),
  attempts: attempts.map((each) => ({
    attempt: each.attemptNo,
    status: each.status,
    providerPayoutId: each.providerPayoutId,
    startedAt: each.startedAt.toISOString(),
    lastAskedAt: each.lastAskedAt?.toISOString() ?? null,
    contradictedAt: each.contradictedAt?.toISOString() ?? null,
  })),
});

/** The filter of the operators' list. Without `status`, it finds PENDING and PROCESSING payouts. */
export const operatorPayoutsQuery = pageQuery.extend({
  ...rangeQuery,
  hold: z
    .enum([...payoutHolds, 'CAP'])
    .optional()
    .describe(
      'Only payouts that wait for approval for this reason. CAP is for payouts above the cap ' +
        'without another hold.',
    ),
  status: z.enum(payoutStatuses).optional(),
  userId: idInput.optional(),
});

/** The body of a payout's retry. */
export const retryBody = z.object({
  bankAccountId: idInput
    .describe('Another verified bank account of the customer. The default is the same account.')
    .exactOptional(),
  note: plainText(2000)
    .describe(
      'The reason for the retry. Required if the provider contradicted itself on an attempt.',
    )
    .exactOptional(),
});
retryBody.register(z.globalRegistry, {
  id: 'RetryPayoutRequest',
  examples: [
    { bankAccountId: '0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e01', note: 'The old account is closed.' },
  ],
});
export type RetryRequest = z.output<typeof retryBody>;

export type PayoutView = z.output<typeof payoutViewSchema>;
export type PayoutOperatorView = z.output<typeof payoutOperatorView>;

export const presentPayout = (payout: Payout): PayoutView => ({
  id: payout.id,
  orderId: payout.orderId,
  bankAccountId: payout.bankAccountId,
  accountLast4: payout.accountLast4,
  amountPaise: toSafePaise(payout.amountPaise),
  status: payout.status,
  mode: payout.mode,
  utr: payout.utr,
  attempt: payout.attempt,
  failureReason: payout.failureReason,
  createdAt: payout.createdAt.toISOString(),
  paidAt: payout.paidAt?.toISOString() ?? null,
});

export const presentPayoutForOperator = (payout: Payout): PayoutOperatorView => ({
  ...presentPayout(payout),
  userId: payout.userId,
  approvedBy: payout.approvedBy,
  providerPayoutId: payout.providerPayoutId,
  hold: payout.status === 'PENDING' && payout.approvedAt === null ? payout.hold : null,
});
