import { gramsFromDatabase, gramsToDatabase, type DatabaseDecimal } from '../../money/index.ts';
import type { Grams } from '../../money/index.ts';
import {
  execute,
  selectOne,
  selectRows,
  sql,
  writeAndRead,
  type Db,
  type Part,
  type Reads,
  type ReadValues,
  type Sql,
} from '../../platform/db/index.ts';
import { createLease } from '../../platform/lease/lease.ts';
import type { PriceLockedBuy, VerifiedSale } from '../orders/index.ts';

/**
 * The state of a confirm. INTENDED: its first request is about to be sent or in progress. UNKNOWN: a
 * request may have been sent, and there is no final answer. REFUSED: the provider certainly did not
 * make the trade. DONE: the provider made the trade.
 */
type ConfirmStatus = 'INTENDED' | 'UNKNOWN' | 'REFUSED' | 'DONE';

type ConfirmOperation = 'buy-confirm' | 'sell-confirm';

export interface Confirm {
  readonly id: string;
  readonly orderId: string;
  readonly status: ConfirmStatus;
  readonly providerTxId: string;
  /** The grams that the verify promised. */
  readonly grams: Grams;
  /** The time just before the verify was sent. */
  readonly verifiedAt: Date;
  readonly attempts: number;
  /** True if a worker holds its lease now. */
  readonly isHeld: boolean;
}

type Row = Omit<Confirm, 'grams'> & { readonly grams: DatabaseDecimal };

const lease = createLease({ table: 'provider_operation' });

const columns = sql`
  p.id, p.order_id AS "orderId", p.status, p.provider_tx_id AS "providerTxId", p.grams,
  p.verified_at AS "verifiedAt", p.attempts,
  NOT ${lease.isFree('p')} AS "isHeld"`;

const toConfirm = (row: Row): Confirm => ({ ...row, grams: gramsFromDatabase(row.grams) });

/** The lease of an operation in ms. It is longer than a call to the provider may take. */
const leaseMs = 20_000;

const isUndecided = sql`status IN ('INTENDED', 'UNKNOWN')`;
const byId = (id: string): Sql => sql`id = ${id}::uuid`;

const selectConfirms = async (
  db: Db,
  operation: ConfirmOperation,
  conditions: Sql,
): Promise<Confirm[]> => {
  const rows = await selectRows<Row>(
    db,
    sql`SELECT ${columns} FROM provider_operation p WHERE p.operation = ${operation} ${conditions}`,
  );
  return rows.map(toConfirm);
};

/** Returns the newest confirm of an order. The order must be locked. */
export const findLatestConfirm = async (
  db: Db,
  operation: ConfirmOperation,
  orderId: string,
): Promise<Confirm | undefined> => {
  const newest = sql`
    AND p.order_id = ${orderId}::uuid ORDER BY p.started_at DESC, p.id DESC LIMIT 1`;
  return (await selectConfirms(db, operation, newest))[0];
};

/** An order with the provider's transaction that is to be confirmed. */
type OrderToConfirm = Pick<
  PriceLockedBuy | VerifiedSale,
  | 'id'
  | 'quoteId'
  | 'userId'
  | 'provider'
  | 'providerTxId'
  | 'grams'
  | 'providerAmountPaise'
  | 'lockStartedAt'
>;

/** A confirm that is about to be sent. */
interface NewConfirm {
  readonly id: string;
  /** The worker that confirms. It gets the lease of the new confirm. */
  readonly holderId: string;
  /** The grams that the verify promised. By default they are the order's grams. */
  readonly grams?: Grams | undefined;
  readonly at: Date;
}

/** Records the intent to confirm an order's transaction. It must be committed before the call. */
export const recordIntent = async (
  db: Db,
  operation: ConfirmOperation,
  order: OrderToConfirm,
  { id, holderId, grams = order.grams, at }: NewConfirm,
): Promise<void> => {
  await execute(
    db,
    sql`
      INSERT INTO provider_operation (id, order_id, quote_id, user_id, provider, operation,
        status, provider_tx_id, grams, amount_paise, verified_at, started_at, attempts,
        holder_id, lease_until)
      VALUES (${id}::uuid, ${order.id}::uuid, ${order.quoteId}::uuid, ${order.userId}::uuid,
        ${order.provider}, ${operation}, 'INTENDED', ${order.providerTxId},
        ${gramsToDatabase(grams)}::numeric, ${order.providerAmountPaise}::bigint,
        ${order.lockStartedAt}::timestamptz, ${at}::timestamptz, 1, ${holderId}::uuid,
        ${lease.until(leaseMs)})`,
  );
};

/**
 * Records the intent of an order's first confirm, and returns the values of `reads`, in one
 * statement. The subquery `grams` selects the grams of the quote. If it finds no row, the order's
 * grams are used. Returns undefined and writes nothing if the order already has a confirm.
 */
export const recordFirstIntent = async <Together extends Reads>(
  db: Db,
  operation: ConfirmOperation,
  order: OrderToConfirm,
  { id, holderId, grams, at }: Omit<NewConfirm, 'grams'> & { readonly grams: Sql },
  reads: Together,
): Promise<ReadValues<Together> | undefined> => {
  const write = sql`
    INSERT INTO provider_operation (id, order_id, quote_id, user_id, provider, operation,
      status, provider_tx_id, grams, amount_paise, verified_at, started_at, attempts,
      holder_id, lease_until)
    SELECT ${id}::uuid, ${order.id}::uuid, ${order.quoteId}::uuid, ${order.userId}::uuid,
      ${order.provider}, ${operation}, 'INTENDED', ${order.providerTxId},
      coalesce((${grams}), ${gramsToDatabase(order.grams)}::numeric),
      ${order.providerAmountPaise}::bigint, ${order.lockStartedAt}::timestamptz,
      ${at}::timestamptz, 1, ${holderId}::uuid, ${lease.until(leaseMs)}
    WHERE NOT EXISTS (
      SELECT FROM provider_operation
      WHERE order_id = ${order.id}::uuid AND operation = ${operation})
    RETURNING id`;
  const { isWritten, values } = await writeAndRead(db, write, reads);
  return isWritten ? values : undefined;
};

/**
 * Acquires the lease of an undecided confirm. The confirm becomes UNKNOWN, because it may have been
 * sent before. Returns false if another worker holds the lease or the confirm is decided.
 */
export const acquireConfirm = (
  db: Db,
  id: string,
  { holderId, at }: { readonly holderId: string; readonly at: Date },
): Promise<boolean> => {
  const set = sql`
    status = 'UNKNOWN', attempts = attempts + 1, tried_at = ${at}::timestamptz`;
  return lease.acquire(db, { row: byId(id), where: isUndecided, set, holderId, leaseMs });
};

/** Renews the lease before a call. Returns false if the lease was lost. */
export const renewConfirm = (db: Db, id: string, holderId: string): Promise<boolean> =>
  lease.renew(db, { row: byId(id), where: isUndecided, holderId, leaseMs });

const setDone = (at: Date): Sql => sql`
  status = 'DONE', settled_at = ${at}::timestamptz, last_asked_at = ${at}::timestamptz,
  detail = NULL, ${lease.cleared}`;

/** Records that the provider made the trade. This replaces every other outcome. */
const markDone = async (db: Db, id: string, at: Date): Promise<void> => {
  await execute(
    db,
    sql`UPDATE provider_operation SET ${setDone(at)} WHERE ${byId(id)} AND status <> 'DONE'`,
  );
};

/**
 * Marks the newest confirm of an order DONE, which replaces every other outcome. Returns the grams
 * that its verify promised, or undefined if the order has no confirm. The order must be locked.
 */
export const markLatestDone = async (
  tx: Db,
  operation: ConfirmOperation,
  orderId: string,
  at: Date,
): Promise<Grams | undefined> => {
  const latest = await selectOne<Pick<Row, 'grams'>>(
    tx,
    sql`
      WITH latest AS (
        SELECT id, grams FROM provider_operation
        WHERE order_id = ${orderId}::uuid AND operation = ${operation}
        ORDER BY started_at DESC, id DESC LIMIT 1),
      done AS (
        UPDATE provider_operation SET ${setDone(at)}
        WHERE id = (SELECT id FROM latest) AND status <> 'DONE')
      SELECT grams FROM latest`,
  );
  return latest === undefined ? undefined : gramsFromDatabase(latest.grams);
};

/**
 * Records a trade that the provider made and for which no intent is stored. That happens if the
 * database was restored to an earlier time.
 */
export const recordUnintended = async (
  db: Db,
  operation: ConfirmOperation,
  order: OrderToConfirm,
  { id, at }: Pick<NewConfirm, 'id' | 'at'>,
): Promise<void> => {
  await recordIntent(db, operation, order, { id, holderId: id, at });
  await markDone(db, id, at);
};

/** Marks an undecided confirm REFUSED, because the provider will certainly never make the trade. */
export const markRefused = async (db: Db, id: string, at: Date, reason: string): Promise<void> => {
  await execute(
    db,
    sql`
      UPDATE provider_operation
      SET status = 'REFUSED', settled_at = ${at}::timestamptz,
        last_asked_at = ${at}::timestamptz, detail = ${JSON.stringify({ reason })}::jsonb,
        ${lease.cleared}
      WHERE ${byId(id)} AND ${isUndecided}`,
  );
};

interface OpenOutcome {
  readonly holderId: string;
  /** True if this holder's own request was refused, so that it certainly had no effect. */
  readonly wasRefused: boolean;
  readonly at: Date;
  readonly reason: string;
}

/**
 * Ends the lease of a confirm without a final outcome, and marks the confirm UNKNOWN. If the holder's
 * request was refused and was the only one, marks the confirm REFUSED. Returns false if the lease was
 * lost.
 */
export const markUnknown = async (db: Db, id: string, outcome: OpenOutcome): Promise<boolean> => {
  const { holderId, wasRefused, at, reason } = outcome;
  const count = await execute(
    db,
    sql`
      UPDATE provider_operation
      SET status = CASE WHEN ${wasRefused} AND status = 'INTENDED' THEN 'REFUSED'
          ELSE 'UNKNOWN' END,
        settled_at = CASE WHEN ${wasRefused} AND status = 'INTENDED'
          THEN ${at}::timestamptz END,
        last_asked_at = ${at}::timestamptz, detail = ${JSON.stringify({ reason })}::jsonb,
        ${lease.cleared}
      WHERE ${byId(id)} AND holder_id = ${holderId}::uuid AND ${isUndecided}`,
  );
  return count === 1;
};

/** Records that the provider was queried and had no final answer. */
export const markQueried = async (db: Db, id: string, at: Date): Promise<void> => {
  await db.providerOperation.updateMany({
    where: { id, status: { in: ['INTENDED', 'UNKNOWN'] } },
    data: { lastAskedAt: at },
  });
};

/** Lists undecided confirms that no worker holds and that were last queried before `before`. */
export const listUndecidedConfirms = (
  db: Db,
  operation: ConfirmOperation,
  before: Date,
  limit: number,
): Promise<Confirm[]> =>
  selectConfirms(
    db,
    operation,
    sql`
      AND ${isUndecided} AND (p.last_asked_at IS NULL OR p.last_asked_at < ${before}::timestamptz)
      AND ${lease.isFree('p')}
      ORDER BY p.last_asked_at NULLS FIRST, p.started_at LIMIT ${limit}`,
  );

interface VerifyIntent {
  readonly id: string;
  readonly quoteId: string;
  readonly provider: string;
  readonly grams: Grams;
  /** The worker that verifies. It gets the lease of the new verify. */
  readonly holderId: string;
  readonly at: Date;
}

const openVerifyOf = (orderId: string) =>
  sql`order_id = ${orderId}::uuid AND operation = 'sell-verify' AND status = 'INTENDED'`;

/**
 * Returns the part that records the intent to verify a sale, for the statement that writes the order
 * as `placed`. The holder makes the first attempt.
 */
export const verifyIntentPart = (intent: VerifyIntent): Part => {
  const { id, quoteId, provider, grams, holderId, at } = intent;
  return {
    name: 'intended',
    write: sql`
      INSERT INTO provider_operation (id, order_id, quote_id, user_id, provider, operation, status,
        grams, started_at, attempts, tried_at, holder_id, lease_until)
      SELECT ${id}::uuid, placed.id, ${quoteId}::uuid, placed.user_id, ${provider}, 'sell-verify',
        'INTENDED', ${gramsToDatabase(grams)}::numeric, ${at}::timestamptz, 1, ${at}::timestamptz,
        ${holderId}::uuid, ${lease.until(leaseMs)}
      FROM placed`,
  };
};

/**
 * Acquires the lease of a sale's verify for an attempt. Returns false while another worker holds the
 * lease, or if the verify has its outcome.
 */
export const acquireVerify = (
  db: Db,
  orderId: string,
  { holderId, at }: { readonly holderId: string; readonly at: Date },
): Promise<boolean> => {
  const set = sql`attempts = attempts + 1, tried_at = ${at}::timestamptz`;
  return lease.acquire(db, { row: openVerifyOf(orderId), set, holderId, leaseMs });
};

/** Renews the lease before a second call. Returns false if the lease was lost. */
export const renewVerify = (db: Db, orderId: string, holderId: string): Promise<boolean> =>
  lease.renew(db, { row: openVerifyOf(orderId), holderId, leaseMs });

interface VerifyOutcome {
  readonly status: 'DONE' | 'REFUSED';
  readonly providerTxId: string | null;
  readonly reason: string;
  readonly at: Date;
}

/**
 * Records the outcome of a sale's verify. Returns false if the holder has lost its lease to another
 * worker.
 */
export const recordVerifyOutcome = async (
  db: Db,
  orderId: string,
  holderId: string,
  outcome: VerifyOutcome,
): Promise<boolean> => {
  const { status, providerTxId, reason, at } = outcome;
  const count = await execute(
    db,
    sql`
      UPDATE provider_operation
      SET status = ${status}, provider_tx_id = ${providerTxId},
        detail = ${JSON.stringify({ reason })}::jsonb,
        settled_at = ${at}::timestamptz, ${lease.cleared}
      WHERE ${openVerifyOf(orderId)} AND holder_id = ${holderId}::uuid`,
  );
  return count === 1;
};
