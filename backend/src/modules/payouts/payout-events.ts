import { z } from 'zod';
import type { PayoutProviderEvent } from '../../adapters/payout-provider/port.ts';
import { fromSafePaise, toSafePaise } from '../../money/index.ts';
import { selectRows, sql, type Db } from '../../platform/db/index.ts';
import type { EventEffect, EventNames, InboxHandler } from '../webhook-inbox/index.ts';
import { findReportedAttempt } from './payout-attempts.store.ts';
import { APPLY_EVENT_TASK } from './payouts.jobs.ts';
import type { PayoutsDeps } from './payouts.types.ts';
import { recordAttemptReport } from './record-payout-attempt.ts';

/** An event whose body could be read. */
export type ReadPayoutEvent = Exclude<PayoutProviderEvent, { readonly kind: 'unreadable' }>;

const text = z.string().exactOptional();
const moment = z.iso
  .datetime()
  .transform((at) => new Date(at))
  .exactOptional();

/** The form in which the inbox seals an event until it can be applied. */
const storedEventSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('payout'),
    name: z.string(),
    occurredAt: moment,
    payout: z.object({
      providerPayoutId: z.string(),
      referenceId: text,
      fundAccountId: text,
      amountPaise: z.int().transform(fromSafePaise).exactOptional(),
      status: z.enum(['PROCESSING', 'PAID', 'FAILED', 'REVERSED']),
      providerStatus: z.string(),
      mode: text,
      utr: text,
      failureReason: text,
    }),
  }),
  z.object({
    kind: z.literal('validation'),
    name: z.string(),
    occurredAt: moment,
    validation: z.object({
      validationId: z.string(),
      referenceId: text,
      status: z.enum(['PENDING', 'VALID', 'INVALID', 'FAILED']),
      providerStatus: z.string(),
      registeredName: text,
      nameMatchScore: z.int().exactOptional(),
      reason: text,
    }),
  }),
  z.object({ kind: z.literal('other'), name: z.string() }),
]);

/** Converts an event to a form that JSON can hold. */
const printPayoutEvent = (event: ReadPayoutEvent): object => {
  if (event.kind !== 'payout') return event;
  const { amountPaise, ...payout } = event.payout;
  const amount = amountPaise === undefined ? {} : { amountPaise: toSafePaise(amountPaise) };
  return { ...event, payout: { ...payout, ...amount } };
};

/** Converts the stored form back. */
const parsePayoutEvent = (content: unknown): ReadPayoutEvent => storedEventSchema.parse(content);

type PayoutEvent = Extract<ReadPayoutEvent, { readonly kind: 'payout' }>;
type ValidationEvent = Extract<ReadPayoutEvent, { readonly kind: 'validation' }>;

/**
 * The subject of an event: a payout attempt, a bank account's validation, or none that is recorded.
 */
type PayoutEventEffect = EventEffect &
  (
    | { readonly kind: 'nothing' }
    | { readonly kind: 'validation'; readonly event: ValidationEvent }
    | {
        readonly kind: 'payout';
        readonly event: PayoutEvent;
        readonly attemptId: string;
        readonly requestId: string | undefined;
      }
  );

const namesOf = (event: ReadPayoutEvent): EventNames => {
  const eventType = event.name;
  if (event.kind === 'other') return { eventType };
  if (event.kind === 'validation') return { eventType, subject: event.validation.validationId };
  const { providerPayoutId: subject, providerStatus } = event.payout;
  // One event, whatever its id and its body (contract: payments-and-webhooks > Payout events).
  return { eventType, subject, dedupeKey: `${subject}:${providerStatus}` };
};

/**
 * Lists stored events whose payout or validation has been recorded since they arrived, oldest
 * first. Events that have failed since come last.
 */
const listMatchable = async (db: Db, receivedFrom: Date, limit: number): Promise<string[]> => {
  const rows = await selectRows<{ id: string }>(
    db,
    sql`
    SELECT e.id FROM webhook_event e
    WHERE e.source = 'payout' AND e.status = 'UNMATCHED'
      AND e.received_at >= ${receivedFrom}::timestamptz
      AND (EXISTS (SELECT 1 FROM payout_attempt a
          WHERE a.provider = e.gateway AND a.provider_payout_id = e.subject)
        OR EXISTS (SELECT 1 FROM bank_account b
          WHERE b.provider = e.gateway AND b.provider_validation_id = e.subject))
    ORDER BY e.next_attempt_at NULLS FIRST, e.received_at LIMIT ${limit}`,
  );
  return rows.map((row) => row.id);
};

const unmatched = { status: 'UNMATCHED', kind: 'nothing' } as const;

/** Creates the inbox handler of the provider's events of payouts and validations. */
export const createPayoutInboxHandler = (
  deps: PayoutsDeps,
): InboxHandler<ReadPayoutEvent, PayoutEventEffect> => {
  const { banking } = deps;

  return {
    source: 'payout',
    applyTask: APPLY_EVENT_TASK,
    namesOf,
    serialize: printPayoutEvent,
    parse: parsePayoutEvent,
    listMatchable,

    async resolve(db, { gateway, event, requestId }) {
      if (event.kind === 'other') return { status: 'IGNORED', kind: 'nothing' };
      if (event.kind === 'validation') {
        const userId = await banking.ownerOfValidation(db, event.validation);
        if (userId === undefined) return unmatched;
        return { status: 'APPLIED', userId, kind: 'validation', event };
      }
      const attempt = await findReportedAttempt(db, gateway, event.payout);
      if (attempt === undefined) return unmatched;
      const { id: attemptId, userId } = attempt;
      return { status: 'APPLIED', userId, kind: 'payout', event, attemptId, requestId };
    },

    async apply(db, effect) {
      if (effect.kind === 'nothing') return effect.status;
      if (effect.kind === 'validation') {
        return banking.applyValidation(db, effect.event.validation);
      }
      const { attemptId, event, requestId } = effect;
      return recordAttemptReport(deps, db, attemptId, {
        report: event.payout,
        cause: event.name,
        ...(requestId !== undefined && { requestId }),
      });
    },
  };
};
