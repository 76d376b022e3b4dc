import { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from '../../platform/db/index.ts';
import type { AttemptStatus, PayoutAttempt } from './payouts.types.ts';

const columns = Prisma.sql`
  a.id, a.payout_id AS "payoutId", p.user_id AS "userId", p.order_id AS "orderId",
  a.attempt_no AS "attemptNo", a.bank_account_id AS "bankAccountId",
  a.idempotency_key AS "idempotencyKey", a.status, a.provider_payout_id AS "providerPayoutId",
  a.started_at AS "startedAt", a.last_asked_at AS "lastAskedAt"`;

export interface NewAttempt {
  readonly id: string;
  readonly payoutId: string;
  readonly attemptNo: number;
  readonly bankAccountId: string;
  readonly idempotencyKey: string;
  readonly provider: string;
  readonly startedAt: Date;
}

export interface AttemptOutcome {
  readonly status: AttemptStatus;
  readonly providerPayoutId?: string | undefined;
  readonly utr?: string | undefined;
  readonly failureReason?: string | undefined;
  readonly at: Date;
}

const isFinal = (status: AttemptStatus): boolean => status !== 'PROCESSING';

/** The attempts of payouts. Read and written under the payout's lock, but for lists. */
export const createPayoutAttemptStore = (db: Db) => {
  const select = (rest: Prisma.Sql): Promise<PayoutAttempt[]> =>
    db.$queryRaw<PayoutAttempt[]>`
      SELECT ${columns} FROM payout_attempt a JOIN payout p ON p.id = a.payout_id WHERE ${rest}`;
  const open = Prisma.sql`a.status IN ('INTENDED', 'UNKNOWN', 'PROCESSING')`;

  return {
    find: async (id: string) => (await select(Prisma.sql`a.id = ${id}::uuid`))[0],

    newest: async (payoutId: string) =>
      (
        await select(Prisma.sql`
          a.payout_id = ${payoutId}::uuid ORDER BY a.attempt_no DESC LIMIT 1`)
      )[0],

    /** By the provider's id, else by the reference that it was sent with. */
    async findByNews(
      provider: string,
      providerPayoutId: string,
      referenceId: string | undefined,
    ): Promise<PayoutAttempt | undefined> {
      const [named] = await select(Prisma.sql`
        a.provider = ${provider} AND a.provider_payout_id = ${providerPayoutId}`);
      if (named !== undefined || referenceId === undefined) return named;
      const [sent] = await select(Prisma.sql`
        a.provider = ${provider} AND a.idempotency_key = ${referenceId}`);
      return sent;
    },

    /** The intent, committed before anything is sent. */
    async intend(attempt: NewAttempt, lastAskedAt: Date | null): Promise<void> {
      await db.payoutAttempt.create({ data: { ...attempt, status: 'INTENDED', lastAskedAt } });
    },

    /** Somebody is at it from now on. */
    async touch(id: string, at: Date): Promise<void> {
      await db.$executeRaw`
        UPDATE payout_attempt a SET last_asked_at = ${at}::timestamptz
        WHERE a.id = ${id}::uuid AND ${open}`;
    },

    /** Nothing was sent: it is as if nobody had been at it since `since`. */
    async release(id: string, since: Date): Promise<void> {
      await db.$executeRaw`
        UPDATE payout_attempt SET last_asked_at = NULL
        WHERE id = ${id}::uuid AND status = 'INTENDED'
          AND last_asked_at = ${since}::timestamptz`;
    },

    /** Sent, and nobody can say what became of it. */
    async doubt(id: string): Promise<void> {
      await db.$executeRaw`
        UPDATE payout_attempt SET status = 'UNKNOWN'
        WHERE id = ${id}::uuid AND status = 'INTENDED'`;
    },

    async settle(id: string, outcome: AttemptOutcome): Promise<void> {
      const { status, providerPayoutId, utr, failureReason, at } = outcome;
      const settledAt = isFinal(status) ? at : null;
      await db.$executeRaw`
        UPDATE payout_attempt
        SET status = ${status}, utr = coalesce(${utr ?? null}, utr),
          provider_payout_id = coalesce(${providerPayoutId ?? null}, provider_payout_id),
          failure_reason = coalesce(${failureReason ?? null}, failure_reason),
          settled_at = ${settledAt}::timestamptz
        WHERE id = ${id}::uuid`;
    },

    /** Payouts with an open attempt that nobody asked about since then, longest ago first. */
    async listOpen(quietSince: Date, now: Date, limit: number): Promise<string[]> {
      // A time that lies ahead is of a clock that was set back since.
      const rows = await db.$queryRaw<{ payoutId: string }[]>`
        SELECT a.payout_id AS "payoutId" FROM payout_attempt a
        WHERE ${open} AND coalesce(a.last_asked_at, a.started_at)
          NOT BETWEEN ${quietSince}::timestamptz AND ${now}::timestamptz
        ORDER BY coalesce(a.last_asked_at, a.started_at) LIMIT ${limit}`;
      return rows.map(({ payoutId }) => payoutId);
    },
  };
};
