import { execute, sql, type Db } from '../../platform/db/index.ts';
import { endOfIstDay, startOfIstDay } from '../../platform/clock/ist.ts';
import { createLease } from '../../platform/lease/lease.ts';
import type { Sealer } from '../../platform/crypto/index.ts';
import type { DebitStatus, PaymentOrder, PaymentsDeps } from './payments.types.ts';

/**
 * The lease of a debit in ms. It is longer than all queries of one debit can take together, since it
 * is renewed only for the request. Razorpay takes longest: it sends three queries, and each of them
 * may reach its limit of 15 s twice.
 */
const leaseMs = 120_000;

const lease = createLease({ table: 'payment_order' });
const rowOf = (id: string) => sql`id = ${id}::uuid`;
const isUndecided = sql`status = 'GATEWAY_ORDER_CREATED'
  AND debit_status IN ('SCHEDULED', 'INTENDED', 'UNKNOWN', 'ACCEPTED')`;

/**
 * Returns the condition that no other debit of the plan was requested on the IST day of `at`.
 * Debits are scheduled one period apart, so it only excludes debits that an older version
 * scheduled.
 */
const isOnlyOfDay = (at: Date) => sql`NOT EXISTS (
  SELECT FROM gold_order mine JOIN gold_order o ON o.sip_plan_id = mine.sip_plan_id
  JOIN payment_order other ON other.order_id = o.id
  WHERE mine.id = payment_order.order_id AND other.id <> payment_order.id
    AND other.debit_requested_at >= ${startOfIstDay(at)}::timestamptz
    AND other.debit_requested_at < ${endOfIstDay(at)}::timestamptz)`;

/**
 * Acquires the lease of the debit of an open payment order, and records the intent of a request. A
 * debit that may have been requested before becomes UNKNOWN, unless the gateway has accepted it.
 * Returns false while another worker has the lease, or if the debit has ended.
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

/** Renews the lease and records the time of the request. Returns false if the lease was lost. */
export const startDebit = (
  db: Db,
  id: string,
  { holderId, at }: { readonly holderId: string; readonly at: Date },
): Promise<boolean> => {
  const set = sql`debit_sent_at = ${at}::timestamptz`;
  return lease.renew(db, { row: rowOf(id), holderId, leaseMs, set });
};

/** Ends the lease, so that another worker may act. Returns false if the lease was already lost. */
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

/** Records the state of a debit. Returns false if the holder has lost its lease. */
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
  /** The time of the last request without an answer, or null if there is none. */
  readonly sentAt: Date | null;
}

/** Reads the state of a debit whose lease `acquireDebit` has just acquired. */
export const findDebit = async (db: Db, id: string): Promise<HeldDebit | undefined> => {
  const select = { debitStatus: true, debitRequestedAt: true, debitSentAt: true };
  const row = await db.paymentOrder.findUnique({ where: { id }, select });
  if (row === null || row.debitStatus === null || row.debitRequestedAt === null) return undefined;
  const status = row.debitStatus as DebitStatus; // held by a check constraint
  // A worker of an older version may have sent a request and died before it recorded the time.
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
  const statuses = undecidedOnly ? ['INTENDED', 'UNKNOWN'] : ['SCHEDULED', 'INTENDED', 'UNKNOWN'];
  return db.paymentOrder.findMany({
    where: {
      status: { in: ['CREATED', 'GATEWAY_ORDER_CREATED'] },
      debitDueAt: { lte: now },
      OR: [
        { debitStatus: { in: statuses }, AND: notQueriedSince(queriedBefore) },
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
 * Returns the gateway's token of the mandate under which a payment order is debited, or undefined if
 * the customer pays at the checkout. The token may be passed only to the gateway's adapter.
 * @throws DataKeyDestroyedError if the customer's account was deleted
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
