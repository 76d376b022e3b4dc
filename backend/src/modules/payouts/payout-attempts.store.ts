import type { Prisma } from '../../generated/prisma/client.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { execute, selectRows, sql, type Db } from '../../platform/db/index.ts';
import { createLease } from '../../platform/lease/lease.ts';
import { isOpenAttempt, openAttemptStatuses } from './payouts.states.ts';
import type { AttemptStatus, PayoutAttempt } from './payouts.types.ts';

/**
 * The lease of one worker on an attempt, in ms. It is longer than the worker's calls take. If
 * another worker acquired an attempt too early, it would be sent twice under one key, and the
 * provider would return the same payout.
 */
const attemptLeaseMs = 60_000;

const lease = createLease({ table: 'payout_attempt' });
const isUnsettled = sql`status IN ('INTENDED', 'UNKNOWN')`;
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

/** Finds the attempt of a report by the provider's id, else by the reference of the request. */
export const findReportedAttempt = async (
  db: Db,
  provider: string,
  { providerPayoutId, referenceId }: { providerPayoutId: string; referenceId?: string },
): Promise<PayoutAttempt | undefined> => {
  const named = await db.payoutAttempt.findFirst({
    where: { provider, providerPayoutId },
    include: withPayout,
  });
  if (named !== null || referenceId === undefined) return toAttempt(named);
  const sent = await db.payoutAttempt.findFirst({
    where: { provider, idempotencyKey: referenceId },
    include: withPayout,
  });
  return toAttempt(sent);
};

/**
 * Returns payouts with an open attempt that was neither sent nor queried since `quietSince`, the
 * least recently handled first. It leaves out attempts that a worker is sending. A time in the
 * future was written before the clock was set back, and is ignored.
 */
export const listPayoutsToPoll = async (
  db: Db,
  { quietSince, now, limit }: { quietSince: Date; now: Date; limit: number },
): Promise<string[]> => {
  const touchedAt = sql`coalesce(a.last_asked_at, a.started_at)`;
  const rows = await selectRows<{ payoutId: string }>(
    db,
    sql`
      SELECT a.payout_id AS "payoutId" FROM payout_attempt a
      WHERE a.status = ANY(${[...openAttemptStatuses]}::text[])
        AND (a.provider_payout_id IS NOT NULL OR ${lease.isFree('a')})
        AND ${touchedAt} NOT BETWEEN ${quietSince}::timestamptz AND ${now}::timestamptz
      ORDER BY ${touchedAt} LIMIT ${limit}`,
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

/** Writes the intent to pay, committed before anything is sent. */
export const insertAttempt = async (tx: Db, attempt: NewAttempt): Promise<void> => {
  await tx.payoutAttempt.create({ data: { ...attempt, status: 'INTENDED' } });
};

/**
 * Acquires an attempt without a provider's id, to send it. Returns false while another worker holds
 * it. The attempt counts as sent from then on, because the worker may be killed, until a release
 * records that it was not sent.
 */
export const acquireAttempt = (
  tx: Db,
  id: string,
  { holderId, at }: { readonly holderId: string; readonly at: Date },
): Promise<boolean> =>
  lease.acquire(tx, {
    row: rowOf(id),
    holderId,
    leaseMs: attemptLeaseMs,
    where: sql`${isUnsettled} AND provider_payout_id IS NULL`,
    set: sql`last_asked_at = ${at}::timestamptz, sent_at = ${at}::timestamptz`,
  });

/** Releases an attempt that was not sent this time, with its earlier send, if there was one. */
export const releaseUnsentAttempt = (
  db: Db,
  id: string,
  { holderId, sentAt }: { readonly holderId: string; readonly sentAt: Date | null },
): Promise<boolean> => {
  const status = sentAt === null ? 'INTENDED' : 'UNKNOWN';
  const set = sql`status = ${status}, sent_at = ${sentAt}::timestamptz`;
  return lease.release(db, { row: rowOf(id), holderId, where: isUnsettled, set });
};

/** Releases an attempt that was sent with an unknown outcome, and marks it UNKNOWN. */
export const releaseUnknownAttempt = (db: Db, id: string, holderId: string): Promise<boolean> => {
  const set = sql`status = 'UNKNOWN'`;
  return lease.release(db, { row: rowOf(id), holderId, where: isUnsettled, set });
};

/** Stores when the provider was last queried about an open attempt. */
export const markAttemptQueried = async (tx: Db, id: string, at: Date): Promise<void> => {
  await tx.payoutAttempt.updateMany({
    where: { id, status: { in: [...openAttemptStatuses] } },
    data: { lastAskedAt: at },
  });
};

/** Moves a payout to the end of the list of payouts to poll. */
export const markPayoutSwept = async (db: Db, payoutId: string, at: Date): Promise<void> => {
  await db.payoutAttempt.updateMany({
    where: { payoutId, status: { in: [...openAttemptStatuses] } },
    data: { lastAskedAt: at },
  });
};

/** The pause between two queries of an attempt that was paid lately. */
const hourMs = 60 * 60_000;
/** Longer than the pause between two queries of any paid attempt. */
const longestPauseMs = 25 * hourMs;

/** Matches paid attempts that are due. A time far ahead was written before the clock was set back. */
const isReversalPollDue = (now: Date) => sql`
  (next_reversal_poll_at <= ${now}::timestamptz
    OR next_reversal_poll_at > ${addMs(now, longestPauseMs)}::timestamptz)`;

/** Lists paid attempts that are due to be queried for a return of the money, longest due first. */
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
 * Returns true for the one caller that may query this paid attempt now. It is queried once an hour
 * in its first three days, which is the period of reconciliation, and then once a day until it is
 * 60 days old.
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

/** Keeps that the provider contradicted itself on an attempt, from the first time on. */
export const markContradicted = async (db: Db, id: string, at: Date): Promise<void> => {
  await db.payoutAttempt.updateMany({
    where: { id, contradictedAt: null },
    data: { contradictedAt: at },
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
  readonly at: Date;
}

/**
 * Writes an attempt's outcome and ends its lease. Omitted columns stay. Does not check the holder,
 * because the provider's report counts whether an event or a query brings it. The payout's lock
 * excludes other writers. The caller that records a refusal compares the holder itself.
 */
export const recordAttemptOutcome = async (
  tx: Db,
  id: string,
  { status, providerPayoutId, utr, failureReason, at }: AttemptOutcome,
): Promise<void> => {
  await tx.payoutAttempt.update({
    where: { id },
    data: {
      status,
      ...(providerPayoutId !== undefined && { providerPayoutId }),
      ...(utr !== undefined && { utr }),
      ...(failureReason !== undefined && { failureReason }),
      settledAt: isOpenAttempt(status) ? null : at,
      ...(status === 'PAID' && { nextReversalPollAt: addMs(at, hourMs) }),
      holderId: null,
      leaseUntil: null,
    },
  });
};
