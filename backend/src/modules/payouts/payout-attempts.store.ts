import type { Prisma } from '../../generated/prisma/client.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { execute, selectRows, sql, type Db } from '../../platform/db/index.ts';
import { createLease } from '../../platform/lease/lease.ts';
import { isOpenAttempt, openAttemptStatuses } from './payouts.states.ts';
import type { AttemptStatus, PayoutAttempt } from './payouts.types.ts';

/**
 * The time in ms for which a worker leases an attempt. It is longer than the worker's calls take. If
 * another worker acquired the attempt too early, both would send it under the same key, and the
 * provider would return the same payout to both.
 */
const attemptLeaseMs = 60_000;

const lease = createLease({ table: 'payout_attempt' });
const isUnanswered = sql`status IN ('INTENDED', 'UNKNOWN')`;
const rowOf = (id: string) => sql`id = ${id}::uuid`;

const withPayout = { payout: { select: { userId: true, orderId: true } } } as const;

type Row = Prisma.PayoutAttemptGetPayload<{ include: typeof withPayout }>;

const toAttempt = (row: Row | null): PayoutAttempt | undefined => {
  if (row === null) return undefined;
  const { payout, ...attempt } = row;
  // The database checks the status.
  return { ...attempt, ...payout, status: row.status as AttemptStatus };
};

/** Returns an attempt, or undefined if there is none. */
export const findAttempt = async (db: Db, id: string): Promise<PayoutAttempt | undefined> =>
  toAttempt(await db.payoutAttempt.findUnique({ where: { id }, include: withPayout }));

/** Returns the newest attempt of a payout, or undefined if there is none. */
export const findNewestAttempt = async (
  db: Db,
  payoutId: string,
): Promise<PayoutAttempt | undefined> =>
  toAttempt(
    await db.payoutAttempt.findFirst({
      where: { payoutId },
      orderBy: { attemptNo: 'desc' },
      include: withPayout,
    }),
  );

/** Lists the attempts of a payout, newest first. */
export const listAttempts = async (db: Db, payoutId: string): Promise<PayoutAttempt[]> => {
  const rows = await db.payoutAttempt.findMany({
    where: { payoutId },
    orderBy: { attemptNo: 'desc' },
    include: withPayout,
  });
  return rows.flatMap((row) => toAttempt(row) ?? []);
};

/**
 * Finds the attempt of a provider's report by the provider's id. If no attempt has that id, finds it
 * by the reference that was sent with the request.
 */
export const findReportedAttempt = async (
  db: Db,
  provider: string,
  { providerPayoutId, referenceId }: { providerPayoutId: string; referenceId?: string },
): Promise<PayoutAttempt | undefined> => {
  const byProviderId = await db.payoutAttempt.findFirst({
    where: { provider, providerPayoutId },
    include: withPayout,
  });
  if (byProviderId !== null || referenceId === undefined) return toAttempt(byProviderId);
  const byReference = await db.payoutAttempt.findFirst({
    where: { provider, idempotencyKey: referenceId },
    include: withPayout,
  });
  return toAttempt(byReference);
};

/**
 * Returns the ids of payouts with an open attempt that was neither sent nor queried since
 * `quietSince`. The least recently handled payout is first. An attempt that a worker is sending is left
 * out. A time after `now` was written before the clock was set back, so it counts as long ago.
 */
export const listPayoutsToPoll = async (
  db: Db,
  { quietSince, now, limit }: { quietSince: Date; now: Date; limit: number },
): Promise<string[]> => {
  const lastCallAt = sql`coalesce(a.last_asked_at, a.started_at)`;
  const rows = await selectRows<{ payoutId: string }>(
    db,
    sql`
      SELECT a.payout_id AS "payoutId" FROM payout_attempt a
      WHERE a.status = ANY(${[...openAttemptStatuses]}::text[])
        AND (a.provider_payout_id IS NOT NULL OR ${lease.isFree('a')})
        AND ${lastCallAt} NOT BETWEEN ${quietSince}::timestamptz AND ${now}::timestamptz
      ORDER BY ${lastCallAt} LIMIT ${limit}`,
  );
  return rows.map(({ payoutId }) => payoutId);
};

interface NewAttempt {
  readonly id: string;
  readonly payoutId: string;
  readonly attemptNo: number;
  readonly bankAccountId: string;
  readonly idempotencyKey: string;
  readonly provider: string;
  readonly startedAt: Date;
}

/** Inserts an attempt, which is the intent to pay. The caller commits it before it sends. */
export const insertAttempt = async (tx: Db, attempt: NewAttempt): Promise<void> => {
  await tx.payoutAttempt.create({ data: { ...attempt, status: 'INTENDED' } });
};

/**
 * Acquires an attempt that has no provider's id, so that the caller may send it. Returns false while
 * another worker holds the attempt. The attempt counts as sent from now on, because the worker may be
 * killed at any point. If it was not sent, `releaseUnsentAttempt` records that.
 */
export const acquireAttempt = (
  tx: Db,
  id: string,
  { holderId, now }: { readonly holderId: string; readonly now: Date },
): Promise<boolean> =>
  lease.acquire(tx, {
    row: rowOf(id),
    holderId,
    leaseMs: attemptLeaseMs,
    where: sql`${isUnanswered} AND provider_payout_id IS NULL`,
    set: sql`last_asked_at = ${now}::timestamptz, sent_at = ${now}::timestamptz`,
  });

/**
 * Releases an attempt that was not sent in this turn. `sentAt` is the time of an earlier send, or null
 * if the attempt was never sent. The attempt is then INTENDED again.
 */
export const releaseUnsentAttempt = (
  db: Db,
  id: string,
  { holderId, sentAt }: { readonly holderId: string; readonly sentAt: Date | null },
): Promise<boolean> => {
  const status = sentAt === null ? 'INTENDED' : 'UNKNOWN';
  const set = sql`status = ${status}, sent_at = ${sentAt}::timestamptz`;
  return lease.release(db, { row: rowOf(id), holderId, where: isUnanswered, set });
};

/** Releases an attempt that was sent and whose outcome is unknown, and marks it UNKNOWN. */
export const releaseUnknownAttempt = (db: Db, id: string, holderId: string): Promise<boolean> => {
  const set = sql`status = 'UNKNOWN'`;
  return lease.release(db, { row: rowOf(id), holderId, where: isUnanswered, set });
};

/** Stores the time at which the provider was last queried about an open attempt. */
export const markAttemptQueried = async (tx: Db, id: string, now: Date): Promise<void> => {
  await tx.payoutAttempt.updateMany({
    where: { id, status: { in: [...openAttemptStatuses] } },
    data: { lastAskedAt: now },
  });
};

/** Moves a payout to the end of the list of payouts to poll. */
export const markPayoutSwept = async (db: Db, payoutId: string, now: Date): Promise<void> => {
  await db.payoutAttempt.updateMany({
    where: { payoutId, status: { in: [...openAttemptStatuses] } },
    data: { lastAskedAt: now },
  });
};

/** The time in ms between the payment of an attempt and its first reversal poll. */
const firstPollPauseMs = 60 * 60_000;
/** A time in ms that is longer than any pause between two reversal polls of an attempt. */
const maxPollPauseMs = 25 * firstPollPauseMs;

/**
 * Returns the condition that an attempt's reversal poll is due. A time too far in the future was
 * written before the clock was set back, so it counts as due.
 */
const isReversalPollDue = (now: Date) => sql`
  (next_reversal_poll_at <= ${now}::timestamptz
    OR next_reversal_poll_at > ${addMs(now, maxPollPauseMs)}::timestamptz)`;

/**
 * Returns the ids of paid attempts whose reversal poll is due, the longest due first. The poll finds
 * out whether the bank has returned the money.
 */
export const listReversalPolls = async (
  db: Db,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<string[]> => {
  const rows = await selectRows<{ id: string }>(
    db,
    sql`
      SELECT id FROM payout_attempt WHERE status = 'PAID' AND ${isReversalPollDue(now)}
      ORDER BY next_reversal_poll_at LIMIT ${limit}`,
  );
  return rows.map(({ id }) => id);
};

/**
 * Schedules the next reversal poll of a paid attempt, and returns true to the one caller that may
 * query the attempt now. An attempt is queried once an hour in its first three days, which is the
 * period of reconciliation, and then once a day until it is 60 days old.
 */
export const claimReversalPoll = async (db: Db, id: string, now: Date): Promise<boolean> => {
  const count = await execute(
    db,
    sql`
      UPDATE payout_attempt SET last_asked_at = ${now}::timestamptz,
        next_reversal_poll_at = CASE
          WHEN ${now}::timestamptz < settled_at + interval '72 hours'
            THEN ${now}::timestamptz + interval '1 hour'
          WHEN ${now}::timestamptz + interval '24 hours' < settled_at + interval '60 days'
            THEN ${now}::timestamptz + interval '24 hours' END
      WHERE id = ${id}::uuid AND status = 'PAID' AND ${isReversalPollDue(now)}`,
  );
  return count === 1;
};

/** Stores the time at which the provider first contradicted itself on an attempt. */
export const markContradicted = async (db: Db, id: string, now: Date): Promise<void> => {
  await db.payoutAttempt.updateMany({
    where: { id, contradictedAt: null },
    data: { contradictedAt: now },
  });
};

/** Returns true if the provider contradicted itself on any attempt of a payout. */
export const hasContradiction = async (db: Db, payoutId: string): Promise<boolean> => {
  const where = { payoutId, contradictedAt: { not: null } };
  return (await db.payoutAttempt.findFirst({ where, select: { id: true } })) !== null;
};

interface AttemptOutcome {
  readonly status: AttemptStatus;
  readonly providerPayoutId?: string | undefined;
  readonly utr?: string | undefined;
  readonly failureReason?: string | undefined;
  readonly now: Date;
}

/**
 * Writes an attempt's outcome and ends its lease. Omitted columns keep their values. Does not check
 * the lease's holder, because a report of the provider counts whether an event or a query delivers it.
 * The payout's lock excludes other writers. `recordAttemptRefusal` compares the holder itself.
 */
export const recordAttemptOutcome = async (
  tx: Db,
  id: string,
  { status, providerPayoutId, utr, failureReason, now }: AttemptOutcome,
): Promise<void> => {
  await tx.payoutAttempt.update({
    where: { id },
    data: {
      status,
      ...(providerPayoutId !== undefined && { providerPayoutId }),
      ...(utr !== undefined && { utr }),
      ...(failureReason !== undefined && { failureReason }),
      settledAt: isOpenAttempt(status) ? null : now,
      ...(status === 'PAID' && { nextReversalPollAt: addMs(now, firstPollPauseMs) }),
      holderId: null,
      leaseUntil: null,
    },
  });
};
