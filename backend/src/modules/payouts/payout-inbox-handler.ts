import type { Db } from '../../platform/db/index.ts';
import type { EventNames, InboxHandler, Meaning, ReceivedEvent } from '../webhook-inbox/index.ts';
import { createPayoutAttemptStore } from './payout-attempt.store.ts';
import { parsePayoutEvent, printPayoutEvent, type ReadPayoutEvent } from './payout-event.ts';
import type { PayoutsDeps } from './payouts.deps.ts';
import type { SettleAttempt } from './settle-attempt.ts';

/** Applies one stored event. */
export const applyPayoutEventTask = 'payouts.apply-event';

type HandlerDeps = Pick<PayoutsDeps, 'banking'> & { readonly settle: SettleAttempt };
type Received<K extends ReadPayoutEvent['kind']> = ReceivedEvent<
  Extract<ReadPayoutEvent, { readonly kind: K }>
>;

const namesOf = (event: ReadPayoutEvent): EventNames => {
  const eventType = event.name;
  if (event.kind === 'other') return { eventType };
  if (event.kind === 'validation') return { eventType, subject: event.validation.validationId };
  const { providerPayoutId: subject, providerStatus } = event.payout;
  // One event, whatever its id and its body (decisions, section 5).
  return { eventType, subject, dedupeKey: `${subject}:${providerStatus}` };
};

/** Events of payouts and validations that were unknown, and are known by now, oldest first. */
const listMatchable = async (db: Db, receivedFrom: Date, limit: number): Promise<string[]> => {
  const rows = await db.$queryRaw<{ id: string }[]>`
    SELECT e.id FROM webhook_event e
    WHERE e.source = 'payout' AND e.status = 'UNMATCHED'
      AND e.received_at >= ${receivedFrom}::timestamptz
      AND (EXISTS (SELECT 1 FROM payout_attempt a
          WHERE a.provider = e.gateway AND a.provider_payout_id = e.subject)
        OR EXISTS (SELECT 1 FROM bank_account b
          WHERE b.provider = e.gateway AND b.provider_validation_id = e.subject))
    ORDER BY e.received_at LIMIT ${limit}`;
  return rows.map((row) => row.id);
};

/** What the provider's events mean: payouts are settled here, validations are banking's. */
export const createPayoutInboxHandler = (deps: HandlerDeps): InboxHandler<ReadPayoutEvent> => {
  const { banking, settle } = deps;

  const ofPayout = async (
    db: Db,
    { gateway, event, requestId }: Omit<Received<'payout'>, 'receivedAt'>,
  ): Promise<Meaning> => {
    const { providerPayoutId, referenceId } = event.payout;
    const attempts = createPayoutAttemptStore(db);
    const attempt = await attempts.findByNews(gateway, providerPayoutId, referenceId);
    if (attempt === undefined) return { status: 'UNMATCHED' };
    return {
      status: 'APPLIED',
      userId: attempt.userId,
      apply: () => settle.news(db, attempt.id, event.payout, event.name, requestId),
    };
  };

  const ofValidation = async (
    db: Db,
    { event }: Pick<Received<'validation'>, 'event'>,
  ): Promise<Meaning> => {
    const userId = await banking.ownerOfValidation(db, event.validation);
    if (userId === undefined) return { status: 'UNMATCHED' };
    return {
      status: 'APPLIED',
      userId,
      apply: () => banking.applyValidation(db, event.validation),
    };
  };

  return {
    source: 'payout',
    applyTask: applyPayoutEventTask,
    namesOf,
    print: printPayoutEvent,
    parse: parsePayoutEvent,
    listMatchable,
    async interpret(db, { event, ...received }) {
      if (event.kind === 'payout') return ofPayout(db, { ...received, event });
      if (event.kind === 'validation') return ofValidation(db, { event });
      return { status: 'IGNORED' };
    },
  };
};
