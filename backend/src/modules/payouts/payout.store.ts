import { Prisma } from '../../generated/prisma/client.ts';
import { paise } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import { statesBefore } from './payouts.states.ts';
import type { NewPayout, Payout, PayoutStatus } from './payouts.types.ts';

export interface PayoutFilter {
  readonly userId?: string | undefined;
  readonly statuses?: readonly PayoutStatus[] | undefined;
}

type Row = Omit<Payout, 'amountPaise'> & { readonly amountPaise: bigint };

const columns = Prisma.sql`
  p.id, p.user_id AS "userId", p.order_id AS "orderId", p.bank_account_id AS "bankAccountId",
  b.account_last4 AS "accountLast4", p.amount_paise AS "amountPaise", p.status, p.mode,
  p.attempt, p.provider_payout_id AS "providerPayoutId", p.utr,
  p.failure_reason AS "failureReason", p.approval_required AS "approvalRequired",
  p.approved_by AS "approvedBy", p.approved_at AS "approvedAt", p.created_at AS "createdAt",
  p.paid_at AS "paidAt"`;

const toPayout = (row: Row): Payout => ({ ...row, amountPaise: paise(row.amountPaise) });

const conditionOf = ({ userId, statuses }: PayoutFilter): Prisma.Sql => {
  const ofUser = userId === undefined ? Prisma.empty : Prisma.sql`AND p.user_id = ${userId}::uuid`;
  const inState =
    statuses === undefined
      ? Prisma.empty
      : Prisma.sql`AND p.status = ANY(${[...statuses]}::text[])`;
  return Prisma.sql`true ${ofUser} ${inState}`;
};

/** Payouts: read, written, and what operators do to them. Their attempts have their own store. */
export const createPayoutStore = (db: Db) => {
  const select = async (rest: Prisma.Sql): Promise<Payout[]> => {
    const rows = await db.$queryRaw<Row[]>`
      SELECT ${columns} FROM payout p JOIN bank_account b ON b.id = p.bank_account_id
      WHERE ${rest}`;
    return rows.map(toPayout);
  };

  return {
    find: async (id: string) => (await select(Prisma.sql`p.id = ${id}::uuid`))[0],

    findOwn: async (id: string, userId: string) =>
      (await select(Prisma.sql`p.id = ${id}::uuid AND p.user_id = ${userId}::uuid`))[0],

    findOfOrder: async (orderId: string) =>
      (await select(Prisma.sql`p.order_id = ${orderId}::uuid`))[0],

    lock: async (id: string) => (await select(Prisma.sql`p.id = ${id}::uuid FOR UPDATE OF p`))[0],

    /** Newest first. */
    async list(filter: PayoutFilter, page: Page) {
      const condition = conditionOf(filter);
      const [rows, counted] = await Promise.all([
        select(Prisma.sql`
          ${condition} ORDER BY p.created_at DESC, p.id DESC
          LIMIT ${page.limit} OFFSET ${offsetOf(page)}`),
        db.$queryRaw<{ total: number }[]>`
          SELECT count(*)::int AS total FROM payout p WHERE ${condition}`,
      ]);
      return { rows, total: counted[0]?.total ?? 0 };
    },

    async insert(
      payout: NewPayout & { id: string; approvalRequired: boolean; createdAt: Date },
    ): Promise<void> {
      const { createdAt, ...rest } = payout;
      await db.payout.create({
        data: { ...rest, status: 'PENDING', createdAt, updatedAt: createdAt },
      });
    },

    /** An operator lets it go. */
    async approve(id: string, approvedBy: string, at: Date): Promise<void> {
      await db.$executeRaw`
        UPDATE payout SET approved_by = ${approvedBy}::uuid, approved_at = ${at}::timestamptz,
          updated_at = ${at}::timestamptz
        WHERE id = ${id}::uuid`;
    },

    /** FAILED or REVERSED -> PENDING, let go by an operator; false when it is elsewhere. */
    async reopen(
      id: string,
      retry: { bankAccountId: string; approvedBy: string; at: Date },
    ): Promise<boolean> {
      const { bankAccountId, approvedBy, at } = retry;
      const count = await db.$executeRaw`
        UPDATE payout
        SET status = 'PENDING', bank_account_id = ${bankAccountId}::uuid,
          approved_by = ${approvedBy}::uuid, approved_at = ${at}::timestamptz,
          provider_payout_id = NULL, utr = NULL, failure_reason = NULL, paid_at = NULL,
          updated_at = ${at}::timestamptz
        WHERE id = ${id}::uuid AND status = ANY(${statesBefore('PENDING')}::text[])`;
      return count === 1;
    },

    /** PENDING -> PROCESSING, with the number of its new attempt. */
    async begin(id: string, attempt: { no: number; provider: string; at: Date }): Promise<void> {
      const { no, provider, at } = attempt;
      const count = await db.$executeRaw`
        UPDATE payout
        SET status = 'PROCESSING', attempt = ${no}::int, provider = ${provider},
          dispatched_at = ${at}::timestamptz, updated_at = ${at}::timestamptz
        WHERE id = ${id}::uuid AND attempt = ${no}::int - 1
          AND status = ANY(${statesBefore('PROCESSING')}::text[])`;
      if (count !== 1) throw new Error(`payout ${id} can't begin attempt ${no}`);
    },

    /** Payouts that may go out and did not for `quietMs`, oldest first. */
    async listWaiting(quietSince: Date, now: Date, limit: number): Promise<string[]> {
      const rows = await db.$queryRaw<{ id: string }[]>`
        SELECT id FROM payout
        WHERE status = 'PENDING' AND (NOT approval_required OR approved_at IS NOT NULL)
          AND updated_at NOT BETWEEN ${quietSince}::timestamptz AND ${now}::timestamptz
        ORDER BY updated_at LIMIT ${limit}`;
      return rows.map(({ id }) => id);
    },
  };
};
