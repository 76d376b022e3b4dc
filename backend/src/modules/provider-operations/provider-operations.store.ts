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
import type { LockedBuy, VerifiedSale } from '../orders/index.ts';

/**
 * A confirm as we know it. INTENDED: about to be asked for, or being asked for, and never before.
 * UNKNOWN: asked for at least once without a final answer. REFUSED: it certainly did not happen.
 * DONE: the provider says that it sold the gold.
 */
type ConfirmStatus = 'INTENDED' | 'UNKNOWN' | 'REFUSED' | 'DONE';

type ConfirmOperation = 'buy-confirm' | 'sell-confirm';

export interface Confirm {
  readonly id: string;
  readonly orderId: string;
  readonly status: ConfirmStatus;
  readonly providerTxId: string;
  /** As its verify promised. */
  readonly grams: Grams;
  /** The moment before the verify. */
  readonly verifiedAt: Date;
  readonly attempts: number;
  /** Somebody is at it now. */
  readonly isHeld: boolean;
}

type Row = Omit<Confirm, 'grams'> & { readonly grams: DatabaseDecimal };

const lease = createLease({ table: 'provider_operation' });

const columns = sql`
  p.id, p.order_id AS "orderId", p.status, p.provider_tx_id AS "providerTxId", p.grams,
  p.verified_at AS "verifiedAt", p.attempts,
  NOT ${lease.isFree('p')} AS "isHeld"`;

const toConfirm = (row: Row): Confirm => ({ ...row, grams: gramsFromDatabase(row.grams) });

/** An operation's lease, by the database's clock: longer than a call to the provider may take. */
const leaseMs = 20_000;

const undecided = sql`status IN ('INTENDED', 'UNKNOWN')`;
const byId = (id: string): Sql => sql`id = ${id}::uuid`;

const selectConfirms = async (
  db: Db,
  operation: ConfirmOperation,
  rest: Sql,
): Promise<Confirm[]> => {
  const rows = await selectRows<Row>(
    db,
    sql`SELECT ${columns} FROM provider_operation p WHERE p.operation = ${operation} ${rest}`,
  );
  return rows.map(toConfirm);
};

/** Returns the newest confirm of an order. Read under the order's lock. */
export const findLatestConfirm = async (
  db: Db,
  operation: ConfirmOperation,
  orderId: string,
): Promise<Confirm | undefined> => {
  const newest = sql`
    AND p.order_id = ${orderId}::uuid ORDER BY p.started_at DESC, p.id DESC LIMIT 1`;
  return (await selectConfirms(db, operation, newest))[0];
};

/** The transaction that a confirm is of, as the order's verify left it. */
type OrderToConfirm = Pick<
  LockedBuy | VerifiedSale,
  | 'id'
  | 'quoteId'
  | 'userId'
  | 'provider'
  | 'providerTxId'
  | 'grams'
  | 'providerAmountPaise'
  | 'lockStartedAt'
>;

/** A confirm that is about to be asked for. */
interface NewConfirm {
  readonly id: string;
  /** The worker that confirms: the intent is its own until the lease lapses. */
  readonly holderId: string;
  /** The grams that the verify promised, where that is known better than by the order. */
  readonly grams?: Grams | undefined;
  readonly at: Date;
}

/** Writes the intent to confirm an order's transaction: committed before the provider is called. */
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
 * Writes the intent where the order has no confirm of this kind so far, with the grams that `grams`
 * reads (those of its quote) or else the order's own. Returns what `reads` reads in the same
 * statement, or undefined where the order has a confirm: nothing is written then.
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
 * Acquires an undecided confirm without a lease, or with an expired one. It may have been sent
 * before, so it is UNKNOWN from here on. Returns false when another worker came first.
 */
export const acquireConfirm = (
  db: Db,
  id: string,
  { holderId, at }: { readonly holderId: string; readonly at: Date },
): Promise<boolean> => {
  const set = sql`
    status = 'UNKNOWN', attempts = attempts + 1, tried_at = ${at}::timestamptz`;
  return lease.acquire(db, { row: byId(id), where: undecided, set, holderId, leaseMs });
};

/** Begins the lease again, before a call. Returns false when it was lost. */
export const renewConfirm = (db: Db, id: string, holderId: string): Promise<boolean> =>
  lease.renew(db, { row: byId(id), where: undecided, holderId, leaseMs });

const doneAt = (at: Date): Sql => sql`
  status = 'DONE', settled_at = ${at}::timestamptz, last_asked_at = ${at}::timestamptz,
  detail = NULL, ${lease.cleared}`;

/** Writes that the provider did it, which overrules every other outcome. */
const markDone = async (db: Db, id: string, at: Date): Promise<void> => {
  await execute(
    db,
    sql`UPDATE provider_operation SET ${doneAt(at)} WHERE ${byId(id)} AND status <> 'DONE'`,
  );
};

/**
 * Writes of an order's newest confirm that the provider did it, which overrules every other outcome,
 * and returns the grams that its verify promised. Undefined where there is none. Under the order's
 * lock.
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
        UPDATE provider_operation SET ${doneAt(at)}
        WHERE id = (SELECT id FROM latest) AND status <> 'DONE')
      SELECT grams FROM latest`,
  );
  return latest === undefined ? undefined : gramsFromDatabase(latest.grams);
};

/**
 * Writes a confirm that the provider did and our books have no intent of: they were restored to an
 * earlier moment. Both sides agree again.
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

/** Writes that it will never happen, by the provider's final answer. */
export const markRefused = async (db: Db, id: string, at: Date, reason: string): Promise<void> => {
  await execute(
    db,
    sql`
      UPDATE provider_operation
      SET status = 'REFUSED', settled_at = ${at}::timestamptz,
        last_asked_at = ${at}::timestamptz, detail = ${JSON.stringify({ reason })}::jsonb,
        ${lease.cleared}
      WHERE ${byId(id)} AND ${undecided}`,
  );
};

interface OpenOutcome {
  readonly holderId: string;
  /** This holder's own try was refused: it certainly did not happen. */
  readonly wasRefused: boolean;
  readonly at: Date;
  readonly reason: string;
}

/**
 * Releases a confirm without a final outcome: UNKNOWN, or REFUSED where the holder's try was
 * refused and was the only one, so that nothing is in doubt. False when the lease was lost.
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
      WHERE ${byId(id)} AND holder_id = ${holderId}::uuid AND ${undecided}`,
  );
  return count === 1;
};

/** Remembers that the provider was queried and had no final answer. */
export const markQueried = async (db: Db, id: string, at: Date): Promise<void> => {
  await db.providerOperation.updateMany({
    where: { id, status: { in: ['INTENDED', 'UNKNOWN'] } },
    data: { lastAskedAt: at },
  });
};

/** Lists undecided confirms without a lease that were not queried since `before`. */
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
      AND ${undecided} AND (p.last_asked_at IS NULL OR p.last_asked_at < ${before}::timestamptz)
      AND ${lease.isFree('p')}
      ORDER BY p.last_asked_at NULLS FIRST, p.started_at LIMIT ${limit}`,
  );

interface VerifyIntent {
  readonly id: string;
  readonly quoteId: string;
  readonly provider: string;
  readonly grams: Grams;
  /** The worker that verifies holds the attempt until its lease expires. */
  readonly holderId: string;
  readonly at: Date;
}

const openVerifyOf = (orderId: string) =>
  sql`order_id = ${orderId}::uuid AND operation = 'sell-verify' AND status = 'INTENDED'`;

/**
 * Writes the intent to verify a sale, as a part of the statement that writes its order as `placed`.
 * Its first try is the holder's.
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
 * Acquires a sale's verify for a try. Returns false while another holds it, or when it has its
 * outcome.
 */
export const acquireVerify = (
  db: Db,
  orderId: string,
  { holderId, at }: { readonly holderId: string; readonly at: Date },
): Promise<boolean> => {
  const set = sql`attempts = attempts + 1, tried_at = ${at}::timestamptz`;
  return lease.acquire(db, { row: openVerifyOf(orderId), set, holderId, leaseMs });
};

/** Begins the lease again, before a second call. Returns false when it was lost. */
export const renewVerify = (db: Db, orderId: string, holderId: string): Promise<boolean> =>
  lease.renew(db, { row: openVerifyOf(orderId), holderId, leaseMs });

interface VerifyOutcome {
  readonly status: 'DONE' | 'REFUSED';
  readonly providerTxId: string | null;
  readonly reason: string;
  readonly at: Date;
}

/**
 * Writes the outcome of a sale's verify. Returns false when the holder lost its lease to another.
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
