import type { Prisma } from '../../generated/prisma/client.ts';
import { paise, type Paise } from '../../money/index.ts';
import {
  boundsOf,
  execute,
  lockRow,
  selectOne,
  sql,
  sqlColumns,
  type Db,
} from '../../platform/db/index.ts';
import { addingJob, type JobRequest } from '../../platform/jobs/enqueue.ts';
import { offsetOf, type ListRange, type Page } from '../../platform/http/index.ts';
import { readCountedPage } from '../transaction-counts/index.ts';
import type { NewPayout, Payout, PayoutHold, PayoutStatus } from './payouts.types.ts';

const withAccount = { bankAccount: { select: { accountLast4: true } } } as const;

type Row = Prisma.PayoutGetPayload<{ include: typeof withAccount }>;

const toPayout = ({ bankAccount, ...row }: Row): Payout => ({
  ...row,
  // The database checks both columns.
  status: row.status as PayoutStatus,
  hold: row.hold as PayoutHold | null,
  amountPaise: paise(row.amountPaise),
  accountLast4: bankAccount.accountLast4,
});

const toPayoutOrNone = (row: Row | null): Payout | undefined =>
  row === null ? undefined : toPayout(row);

export const findPayout = async (db: Db, id: string): Promise<Payout | undefined> =>
  toPayoutOrNone(await db.payout.findUnique({ where: { id }, include: withAccount }));

/** Returns a payout, or undefined if it does not exist or is another customer's. */
export const findOwnPayout = async (
  db: Db,
  id: string,
  userId: string,
): Promise<Payout | undefined> =>
  toPayoutOrNone(await db.payout.findFirst({ where: { id, userId }, include: withAccount }));

const columns = {
  id: true,
  userId: true,
  orderId: true,
  bankAccountId: true,
  amountPaise: true,
  status: true,
  mode: true,
  attempt: true,
  provider: true,
  providerPayoutId: true,
  utr: true,
  failureReason: true,
  approvalRequired: true,
  hold: true,
  approvedBy: true,
  approvedAt: true,
  dispatchedAt: true,
  paidAt: true,
  createdAt: true,
  updatedAt: true,
} satisfies Record<keyof Omit<Row, 'bankAccount'>, true>;

type JoinedRow = Omit<Row, 'bankAccount'> & { readonly accountLast4: string };

/**
 * Returns the payout of a sale, or undefined before the sale is confirmed. The query is raw SQL,
 * because every sale runs it and Prisma's model API would use two statements.
 */
export const findPayoutOfOrder = async (db: Db, orderId: string): Promise<Payout | undefined> => {
  const found = await selectOne<JoinedRow>(
    db,
    sql`
      SELECT ${sqlColumns(columns)}, (
        SELECT account_last4 FROM bank_account WHERE id = payout.bank_account_id
      ) AS "accountLast4"
      FROM payout WHERE order_id = ${orderId}::uuid`,
  );
  if (found === undefined) return undefined;
  const { accountLast4, ...row } = found;
  return toPayout({ ...row, bankAccount: { accountLast4 } });
};

/**
 * Locks a payout until the transaction ends, and returns it. A caller that also locks the payout's
 * order locks the order first.
 */
export const lockPayout = async (tx: Db, id: string): Promise<Payout | undefined> => {
  const isLocked = await lockRow(tx, 'payout', id);
  return isLocked ? findPayout(tx, id) : undefined;
};

interface PayoutFilter extends ListRange {
  readonly userId?: string | undefined;
  readonly statuses?: readonly PayoutStatus[] | undefined;
  /** The hold of the payout, or CAP if it is above the cap and not held otherwise. */
  readonly hold?: PayoutHold | 'CAP' | undefined;
}

/** Returns the condition that a payout waits for an approval because of this hold. */
const waitsForApprovalOf = (hold: PayoutHold | 'CAP') => ({
  status: 'PENDING',
  approvalRequired: true,
  approvedAt: null,
  hold: hold === 'CAP' ? null : hold,
});

/** Returns a page of payouts, newest first. */
export const listPayouts = async (
  db: Db,
  { userId, statuses, hold, ...range }: PayoutFilter,
  page: Page,
): Promise<{ readonly rows: readonly Payout[]; readonly total: number }> => {
  const { createdAt, amount } = boundsOf(range);
  const where = {
    ...(userId !== undefined && { userId }),
    ...(statuses !== undefined && { status: { in: [...statuses] } }),
    ...(hold !== undefined && { AND: waitsForApprovalOf(hold) }),
    ...(createdAt !== undefined && { createdAt }),
    ...(amount !== undefined && { amountPaise: amount }),
  };
  const readRows = async (bounds: object, slice: { skip: number; take: number }) => {
    const rows = await db.payout.findMany({
      where: { ...where, ...bounds },
      include: withAccount,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      ...slice,
    });
    return rows.map(toPayout);
  };
  const countRows = (bounds: object) => db.payout.count({ where: { ...where, ...bounds } });
  // The daily counts distinguish payouts by nothing else.
  if (userId === undefined && hold === undefined && amount === undefined) {
    const part = { kinds: ['PAYOUT'] as const, statuses, ...range };
    return readCountedPage(db, part, page, { countRows, readRows });
  }
  const slice = { skip: offsetOf(page), take: page.limit };
  const [rows, total] = await Promise.all([readRows({}, slice), countRows({})]);
  return { rows, total };
};

/**
 * Returns the ids of payouts that may be dispatched and have not changed since `quietSince`. The least
 * recently changed payout is first. A time after `now` was written before the clock was set back, so it
 * counts as long ago.
 */
export const listUndispatchedPayouts = async (
  db: Db,
  { quietSince, now, limit }: { quietSince: Date; now: Date; limit: number },
): Promise<string[]> => {
  const rows = await db.payout.findMany({
    where: {
      status: 'PENDING',
      OR: [{ approvalRequired: false }, { approvedAt: { not: null } }],
      NOT: { updatedAt: { gte: quietSince, lte: now } },
    },
    orderBy: { updatedAt: 'asc' },
    take: limit,
    select: { id: true },
  });
  return rows.map(({ id }) => id);
};

/** Moves a payout whose dispatch is resumed to the end of the list of undispatched payouts. */
export const markResumed = async (db: Db, id: string, now: Date): Promise<void> => {
  await db.payout.updateMany({ where: { id, status: 'PENDING' }, data: { updatedAt: now } });
};

/**
 * Returns true while a payout to this bank account is PENDING or PROCESSING, which means that it may
 * still be paid.
 */
export const hasPayoutInFlight = async (db: Db, bankAccountId: string): Promise<boolean> => {
  const row = await db.payout.findFirst({
    where: { bankAccountId, status: { in: ['PENDING', 'PROCESSING'] } },
    select: { id: true },
  });
  return row !== null;
};

/** Inserts a payout. If the payout needs no approval, also inserts the job that dispatches it. */
export const insertPayoutRow = async (
  tx: Db,
  payout: NewPayout & {
    readonly id: string;
    readonly approvalRequired: boolean;
    readonly hold: PayoutHold | null;
    readonly createdAt: Date;
  },
  dispatch: JobRequest,
): Promise<void> => {
  const { createdAt } = payout;
  await execute(
    tx,
    sql`
      WITH inserted AS (
        INSERT INTO payout (id, user_id, order_id, bank_account_id, amount_paise, status,
          approval_required, hold, created_at, updated_at)
        VALUES (${payout.id}::uuid, ${payout.userId}::uuid, ${payout.orderId}::uuid,
          ${payout.bankAccountId}::uuid, ${payout.amountPaise}::bigint, 'PENDING',
          ${payout.approvalRequired}::boolean, ${payout.hold}, ${createdAt}::timestamptz,
          ${createdAt}::timestamptz)
        RETURNING approval_required)
      SELECT CASE WHEN NOT approval_required THEN (${addingJob(dispatch)}).id END FROM inserted`,
  );
};

/**
 * Returns the sum and the number of a customer's payouts since `from` that need no approval, in any
 * state.
 */
export const totalAutomaticPayouts = async (
  db: Db,
  userId: string,
  from: Date,
): Promise<{ readonly amountPaise: Paise; readonly count: number }> => {
  const { _sum: sum, _count: count } = await db.payout.aggregate({
    where: { userId, approvalRequired: false, createdAt: { gte: from } },
    _sum: { amountPaise: true },
    _count: true,
  });
  return { amountPaise: paise(sum.amountPaise ?? 0n), count };
};

/** Stores the operator who approved a PENDING payout. */
export const markPayoutApproved = async (
  tx: Db,
  id: string,
  { approvedBy, now }: { approvedBy: string; now: Date },
): Promise<void> => {
  await tx.payout.update({ where: { id }, data: { approvedBy, approvedAt: now, updatedAt: now } });
};

/** Stores the provider's id of a PROCESSING payout. */
export const updateProviderPayoutId = async (
  tx: Db,
  id: string,
  { providerPayoutId, now }: { providerPayoutId: string; now: Date },
): Promise<void> => {
  await tx.payout.updateMany({
    where: { id, status: 'PROCESSING' },
    data: { providerPayoutId, updatedAt: now },
  });
};
