import { execute, sql, type Db } from '../../platform/db/index.ts';
import { endOfIstDay, startOfIstDay } from '../../platform/clock/ist.ts';
import { createLease } from '../../platform/lease/lease.ts';
import type { Sealer } from '../../platform/crypto/index.ts';
import type { DebitStatus, PaymentOrder, PaymentsDeps } from './payments.types.ts';

/**
 * The lease of a debit in ms. It is longer than all calls of one debit can take, since it is not
 * renewed between them. Razorpay needs the most: three queries, each of which may take its limit of
 * 15 s twice and some pauses, and the request.
 */
const leaseMs = 120_000;

const lease = createLease({ table: 'payment_order' });
const rowOf = (id: string) => sql`id = ${id}::uuid`;
const isUndecided = sql`status = 'GATEWAY_ORDER_CREATED'
  AND debit_status IN ('SCHEDULED', 'INTENDED', 'UNKNOWN', 'ACCEPTED')`;

/**
 * Returns the condition that no other debit of the plan was requested on the IST day of `at`.
 * Debits are planned a period apart, so the condition only excludes debits that an older version
 * planned.
 */
const isOnlyOfDay = (at: Date) => sql`NOT EXISTS (
  SELECT FROM gold_order mine JOIN gold_order o ON o.sip_plan_id = mine.sip_plan_id
  JOIN payment_order other ON other.order_id = o.id
  WHERE mine.id = payment_order.order_id AND other.id <> payment_order.id
    AND other.debit_requested_at >= ${startOfIstDay(at)}::timestamptz
    AND other.debit_requested_at < ${endOfIstDay(at)}::timestamptz)`;

/**
 * Acquires the right to act on the debit of an open payment order, and commits the intent of a
 * request. A debit that was requested before, or may have been, is UNKNOWN from here on. Returns
 * false while another worker acts on it, or when nothing is left to do.
 */
export const acquireDebit = (
  db: Db,
  id: string,
  { holderId, at }: { readonly holderId: string; readonly at: Date },
): Promise<boolean> =>
  lease.acquire(db, {
    row: rowOf(id),
    holderId,
    leaseMs,
    where: sql`${isUndecided} AND (debit_status <> 'SCHEDULED' OR ${isOnlyOfDay(at)})`,
    set: sql`
      debit_status = CASE debit_status WHEN 'SCHEDULED' THEN 'INTENDED'
        WHEN 'ACCEPTED' THEN 'ACCEPTED' ELSE 'UNKNOWN' END,
      debit_requested_at = coalesce(debit_requested_at, ${at}::timestamptz),
      last_asked_at = ${at}::timestamptz`,
  });

/** Changes the date of a debit that was not sent yet. The caller holds the row's lock. */
export const updateDebitDate = async (
  tx: Db,
  id: string,
  { debitAt, expiresAt, at }: { debitAt: Date; expiresAt: Date; at: Date },
): Promise<void> => {
  await tx.paymentOrder.updateMany({
    where: { id, debitStatus: 'SCHEDULED' },
    data: { debitDueAt: debitAt, expiresAt, updatedAt: at },
  });
};

/** Begins the lease again for a request that is sent now. Returns false when it was lost. */
export const startDebit = (
  db: Db,
  id: string,
  { holderId, at }: { readonly holderId: string; readonly at: Date },
): Promise<boolean> => {
  const set = sql`debit_sent_at = ${at}::timestamptz`;
  return lease.renew(db, { row: rowOf(id), holderId, leaseMs, set });
};

/** Lets the next one in. Returns false when the lease was lost meanwhile. */
export const releaseDebit = (db: Db, id: string, holderId: string): Promise<boolean> =>
  lease.release(db, { row: rowOf(id), holderId });

export interface DebitRecord {
  readonly status: DebitStatus;
  readonly gatewayDebitId?: string;
  /**
   * The time of the last request without a response, if it differs from the time that `startDebit`
   * recorded.
   */
  readonly sentAt?: Date | null;
  readonly at: Date;
}

/** Writes how far the debit is. Returns false when the holder has lost its lease. */
export const recordDebit = async (
  db: Db,
  id: string,
  holderId: string,
  debit: DebitRecord,
): Promise<boolean> => {
  const { status, gatewayDebitId = null, sentAt, at } = debit;
  const count = await execute(
    db,
    sql`
      UPDATE payment_order
      SET debit_status = ${status},
        gateway_debit_id = coalesce(gateway_debit_id, ${gatewayDebitId}::text),
        debit_requested_at = CASE WHEN ${status}::text = 'SCHEDULED' THEN NULL
          ELSE debit_requested_at END,
        debit_sent_at = ${sentAt === undefined ? sql`debit_sent_at` : sql`${sentAt}::timestamptz`},
        updated_at = ${at}::timestamptz
      WHERE ${rowOf(id)} AND holder_id = ${holderId}::uuid`,
  );
  return count === 1;
};

interface HeldDebit {
  readonly status: DebitStatus;
  /** The time of the last request without an answer, or null where there was none. */
  readonly sentAt: Date | null;
}

/** Reads how far a debit is that `acquireDebit` has just acquired. */
export const findDebit = async (db: Db, id: string): Promise<HeldDebit | undefined> => {
  const select = { debitStatus: true, debitRequestedAt: true, debitSentAt: true };
  const row = await db.paymentOrder.findUnique({ where: { id }, select });
  if (row === null || row.debitStatus === null || row.debitRequestedAt === null) return undefined;
  const status = row.debitStatus as DebitStatus; // held by a check constraint
  // A worker of an older version may have sent the request and died before it recorded that.
  const sentAt = status === 'INTENDED' ? null : (row.debitSentAt ?? row.debitRequestedAt);
  return { status, sentAt };
};

interface DueDebits {
  readonly now: Date;
  /**
   * True if only debits that were already requested are listed, for example while the release gate
   * is closed.
   */
  readonly undecidedOnly: boolean;
  /** Debits that were not accepted yet are due if they were last queried before this time. */
  readonly queriedBefore: Date;
  readonly acceptedQueriedBefore: Date;
  readonly limit: number;
}

/** Lists open payment orders whose debit is due, least recently tried first. */
export const listDueDebits = (db: Db, due: DueDebits): Promise<{ id: string }[]> => {
  const { now, undecidedOnly, queriedBefore, acceptedQueriedBefore } = due;
  const notQueriedSince = (before: Date) => ({
    OR: [{ lastAskedAt: null }, { lastAskedAt: { lt: before } }, { lastAskedAt: { gt: now } }],
  });
  const waiting = undecidedOnly ? ['INTENDED', 'UNKNOWN'] : ['SCHEDULED', 'INTENDED', 'UNKNOWN'];
  return db.paymentOrder.findMany({
    where: {
      status: { in: ['CREATED', 'GATEWAY_ORDER_CREATED'] },
      debitDueAt: { lte: now },
      OR: [
        { debitStatus: { in: waiting }, AND: notQueriedSince(queriedBefore) },
        { debitStatus: 'ACCEPTED', AND: notQueriedSince(acceptedQueriedBefore) },
      ],
    },
    orderBy: [{ lastAskedAt: { sort: 'asc', nulls: 'first' } }, { debitDueAt: 'asc' }],
    take: due.limit,
    select: { id: true },
  });
};

/**
 * The sealing context names the customer only, so a plan and its payment orders can hold the same
 * sealed token.
 */
const contextOf = (userId: string) => ({
  purpose: 'mandate',
  column: 'sip_plan.mandate_token',
  row: userId,
});

/** Seals the gateway's token of a customer's mandate, with `sealer` of `vault.forUser`. */
export const sealMandateToken = (sealer: Sealer, userId: string, token: string): string =>
  sealer.seal(token, contextOf(userId));

/**
 * Reads the mandate that a payment order is debited under. Only the gateway's adapter may have it.
 * Returns undefined if the customer pays at the checkout.
 * @throws DataKeyDestroyedError when the customer is gone
 */
export const readMandateToken = async (
  { db, vault }: Pick<PaymentsDeps, 'db' | 'vault'>,
  { id, userId, debitDueAt }: Pick<PaymentOrder, 'id' | 'userId' | 'debitDueAt'>,
): Promise<string | undefined> => {
  if (debitDueAt === null) return undefined;
  const select = { mandateTokenSealed: true };
  const row = await db.paymentOrder.findUnique({ where: { id }, select });
  if (row === null || row.mandateTokenSealed === null) return undefined;
  return (await vault.forUser(db, userId)).open(row.mandateTokenSealed, contextOf(userId));
};
