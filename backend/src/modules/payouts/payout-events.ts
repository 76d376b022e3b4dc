import { z } from 'zod';
import type { PayoutProviderEvent } from '../../adapters/payout-provider/port.ts';
import { fromSafePaise, toSafePaise } from '../../money/index.ts';
import { selectRows, sql, type Db } from '../../platform/db/index.ts';
import type { EventEffect, EventNames, InboxHandler } from '../webhook-inbox/index.ts';
import { findReportedAttempt } from './payout-attempts.store.ts';
import { APPLY_EVENT_TASK } from './payouts.jobs.ts';
import type { PayoutsDeps } from './payouts.types.ts';
import { recordAttemptReport } from './record-payout-attempt.ts';

/** An event of the provider whose body could be parsed. */
export type ReadPayoutEvent = Exclude<PayoutProviderEvent, { readonly kind: 'unreadable' }>;

const optionalText = z.string().exactOptional();
const optionalTime = z.iso
  .datetime()
  .transform((at) => new Date(at))
  .exactOptional();

/** The stored form of an event, which the inbox seals until the event can be applied. */
const storedEventSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('payout'),
    name: z.string(),
    occurredAt: optionalTime,
    payout: z.object({
      providerPayoutId: z.string(),
      referenceId: optionalText,
      fundAccountId: optionalText,
      amountPaise: z.int().transform(fromSafePaise).exactOptional(),
      status: z.enum(['PROCESSING', 'PAID', 'FAILED', 'REVERSED']),
      providerStatus: z.string(),
      mode: optionalText,
      utr: optionalText,
      failureReason: optionalText,
    }),
  }),
  z.object({
    kind: z.literal('validation'),
    name: z.string(),
    occurredAt: optionalTime,
    validation: z.object({
      validationId: z.string(),
      referenceId: optionalText,
      status: z.enum(['PENDING', 'VALID', 'INVALID', 'FAILED']),
      providerStatus: z.string(),
      registeredName: optionalText,
      nameMatchScore: z.int().exactOptional(),
      reason: optionalText,
    }),
  }),
  z.object({ kind: z.literal('other'), name: z.string() }),
]);

/** Converts an event to its stored form, which contains only values of JSON. */
const serializePayoutEvent = (event: ReadPayoutEvent): object => {
  if (event.kind !== 'payout') return event;
  const { amountPaise, ...payout } = event.payout;
  const amount = amountPaise === undefined ? {} : { amountPaise: toSafePaise(amountPaise) };
  return { ...event, payout: { ...payout, ...amount } };
};

/** Parses the stored form of an event. */
const parsePayoutEvent = (content: unknown): ReadPayoutEvent => storedEventSchema.parse(content);

type PayoutEvent = Extract<ReadPayoutEvent, { readonly kind: 'payout' }>;
type ValidationEvent = Extract<ReadPayoutEvent, { readonly kind: 'validation' }>;

/** An event with the record that it changes: a payout attempt, a bank account, or nothing. */
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
  // Deliveries for the same payout and status are one event, even if their ids and bodies differ
  // (contract: payments-and-webhooks > Payout events).
  return { eventType, subject, dedupeKey: `${subject}:${providerStatus}` };
};

/**
 * Returns the ids of unmatched events whose payout or validation has been recorded since they
 * arrived, oldest first. Events that could not be applied when they were retried come last.
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

const unmatchedEffect = { status: 'UNMATCHED', kind: 'nothing' } as const;

/** Creates the inbox handler for the provider's events, which are of payouts and of validations. */
export const createPayoutInboxHandler = (
  deps: PayoutsDeps,
): InboxHandler<ReadPayoutEvent, PayoutEventEffect> => {
  const { banking } = deps;

  return {
    source: 'payout',
    applyTask: APPLY_EVENT_TASK,
    namesOf,
    serialize: serializePayoutEvent,
    parse: parsePayoutEvent,
    listMatchable,

    async resolve(db, { gateway, event, requestId }) {
      if (event.kind === 'other') return { status: 'IGNORED', kind: 'nothing' };
      if (event.kind === 'validation') {
        const userId = await banking.ownerOfValidation(db, event.validation);
        if (userId === undefined) return unmatchedEffect;
        return { status: 'APPLIED', userId, kind: 'validation', event };
      }
      const attempt = await findReportedAttempt(db, gateway, event.payout);
      if (attempt === undefined) return unmatchedEffect;
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
