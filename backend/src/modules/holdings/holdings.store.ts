import {
  gramsFromDatabase,
  gramsToDatabase,
  investedLeavingWith,
  paise,
  subtractGrams,
  ZERO_GRAMS,
  ZERO_PAISE,
  type DatabaseDecimal,
  type Grams,
  type Paise,
} from '../../money/index.ts';
import {
  execute,
  readOf,
  selectOne,
  sql,
  type Db,
  type Read,
  type Sql,
} from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { type Credit, type Debit, type Holding, type Reservation } from './holdings.types.ts';

interface Row {
  readonly balance: DatabaseDecimal;
  readonly reserved: DatabaseDecimal;
  readonly investedPaise: bigint;
}

const toHolding = (row: Row): Holding => ({
  balance: gramsFromDatabase(row.balance),
  reserved: gramsFromDatabase(row.reserved),
  investedPaise: paise(row.investedPaise),
});

/** Creates the empty holding of a new customer. It changes nothing where there is one. */
export const insertHolding = async (db: Db, userId: string, at: Date): Promise<void> => {
  await db.holding.createMany({
    data: [{ userId, createdAt: at, updatedAt: at }],
    skipDuplicates: true,
  });
};

const EMPTY_HOLDING: Holding = {
  balance: ZERO_GRAMS,
  reserved: ZERO_GRAMS,
  investedPaise: ZERO_PAISE,
};

/** Reads what a customer holds, in one statement with other reads. */
export const readHeldGold = (userId: string): Read<Holding> =>
  readOf(
    sql`
      SELECT balance::text AS balance, reserved::text AS reserved,
        invested_paise::text AS "investedPaise"
      FROM holding WHERE user_id = ${userId}::uuid`,
    (row: Readonly<Record<keyof Row, string>> | undefined) =>
      row === undefined
        ? EMPTY_HOLDING
        : toHolding({ ...row, investedPaise: BigInt(row.investedPaise) }),
  );

/** Returns what a customer holds now, or nothing, where the customer is not known. */
export const readHolding = async (db: Db, userId: string): Promise<Holding> => {
  const row = await db.holding.findUnique({
    where: { userId },
    select: { balance: true, reserved: true, investedPaise: true },
  });
  return row === null ? EMPTY_HOLDING : toHolding(row);
};

/**
 * Returns the grams on an account at the gold provider that belong to the house: forfeited by or
 * recovered from its owner, either this customer or an earlier owner of the phone number.
 */
export const readHouseGrams = async (db: Db, providerUserId: string): Promise<Grams> => {
  const { _sum: sum } = await db.holdingMovement.aggregate({
    where: { kind: { in: ['FORFEITED', 'RECOVERED'] }, holding: { user: { providerUserId } } },
    _sum: { grams: true },
  });
  if (sum.grams === null) return ZERO_GRAMS;
  return subtractGrams(ZERO_GRAMS, gramsFromDatabase(sum.grams));
};

/**
 * Locks the holding until the transaction ends: whatever is counted per customer (available grams,
 * the daily limit) is counted after this. The row is created with the customer, so there is one.
 */
export const lockHolding = async (tx: Db, userId: string): Promise<Holding> => {
  const row = await selectOne<Row>(
    tx,
    sql`
      SELECT balance, reserved, invested_paise AS "investedPaise" FROM holding
      WHERE user_id = ${userId}::uuid
      FOR UPDATE`,
  );
  invariant(row, 'a customer has a holding');
  return toHolding(row);
};

/** Returns the grams that may be sold: the balance without what sales and reviews reserve. */
export const availableGrams = ({ balance, reserved }: Holding): Grams =>
  subtractGrams(balance, reserved);

/**
 * Reserves gold for a sale, in the transaction that writes the sale. False when less than that is
 * available: nothing has changed then.
 */
export const reserveGrams = async (db: Db, reservation: Reservation): Promise<boolean> =>
  (await execute(db, reserveGramsSql(reservation))) === 1;

/** The same as a part of a statement: no row where less than that is available. */
export const reserveGramsSql = (reservation: Reservation): Sql => {
  const grams = gramsToDatabase(reservation.grams);
  return sql`
    UPDATE holding
    SET reserved = reserved + ${grams}::numeric, version = version + 1,
      updated_at = ${reservation.at}::timestamptz
    WHERE user_id = ${reservation.userId}::uuid AND balance - reserved >= ${grams}::numeric
    RETURNING user_id`;
};

/** Makes reserved gold available again, in the caller's transaction. */
export const releaseGrams = async (db: Db, reservation: Reservation): Promise<void> => {
  const grams = gramsToDatabase(reservation.grams);
  const { count } = await db.holding.updateMany({
    where: { userId: reservation.userId, reserved: { gte: grams } },
    data: {
      reserved: { decrement: grams },
      version: { increment: 1 },
      updatedAt: reservation.at,
    },
  });
  invariant(count === 1, 'no more gold is released than was reserved');
};

/**
 * Puts an order's gold into the holding, with its movement: one statement, so that a balance is
 * always the sum of its movements. An order is credited once: the second time breaks the unique
 * key of (order, kind) and the transaction fails.
 */
export const creditHolding = async (db: Db, credit: Credit): Promise<void> => {
  const grams = gramsToDatabase(credit.grams);
  const count = await execute(
    db,
    sql`
      WITH credited AS (
        UPDATE holding
        SET balance = balance + ${grams}::numeric,
          invested_paise = invested_paise + ${credit.investedPaise}::bigint,
          version = version + 1, updated_at = ${credit.at}::timestamptz
        WHERE user_id = ${credit.userId}::uuid
        RETURNING user_id, balance, invested_paise, version)
      INSERT INTO holding_movement (id, user_id, order_id, kind, grams, invested_paise,
        balance_after, invested_after_paise, version, at)
      SELECT ${credit.movementId}::uuid, user_id, ${credit.orderId}::uuid, 'CREDIT',
        ${grams}::numeric, ${credit.investedPaise}::bigint, balance, invested_paise, version,
        ${credit.at}::timestamptz
      FROM credited`,
  );
  invariant(count === 1, 'a customer has a holding');
};

/**
 * Takes reserved gold out of the holding, with its movement: balance and reservation shrink by its
 * grams, what was invested in proportion, half-up, and to zero with the last gram
 * (contract: money > Holdings). Returns what left of the invested amount. An order is
 * debited once: the second time breaks the unique key of (order, kind) and the transaction fails.
 */
export const debitHolding = async (tx: Db, debit: Debit): Promise<Paise> => {
  const { movementId, userId, orderId, at, kind = 'DEBIT' } = debit;
  const before = await lockHolding(tx, userId);
  const leaving = investedLeavingWith(before, debit.grams);
  const grams = gramsToDatabase(debit.grams);
  const movement = await selectOne<{ balanceAfter: string }>(
    tx,
    sql`
      WITH debited AS (
        UPDATE holding
        SET balance = balance - ${grams}::numeric, reserved = reserved - ${grams}::numeric,
          invested_paise = invested_paise - ${leaving}::bigint,
          version = version + 1, updated_at = ${at}::timestamptz
        WHERE user_id = ${userId}::uuid AND reserved >= ${grams}::numeric
        RETURNING user_id, balance, invested_paise, version)
      INSERT INTO holding_movement (id, user_id, order_id, kind, grams, invested_paise,
        balance_after, invested_after_paise, version, at)
      SELECT ${movementId}::uuid, user_id, ${orderId}::uuid, ${kind}, -${grams}::numeric,
        -${leaving}::bigint, balance, invested_paise, version, ${at}::timestamptz
      FROM debited
      RETURNING balance_after::text AS "balanceAfter"`,
  );
  invariant(movement, 'the gold of a confirmed sale was reserved');
  const left = subtractGrams(before.balance, debit.grams);
  invariant(gramsFromDatabase(movement.balanceAfter) === left, 'a holding adds up');
  return leaving;
};

/**
 * Gives all that a customer holds to the house by a FORFEITED movement, in the transaction that
 * deletes their account and has locked the holding. Nothing of it is reserved.
 */
export const forfeitHolding = async (
  tx: Db,
  {
    movementId,
    userId,
    at,
  }: { readonly movementId: string; readonly userId: string; readonly at: Date },
): Promise<void> => {
  const count = await execute(
    tx,
    sql`
      WITH before AS (
        SELECT user_id, balance, invested_paise FROM holding
        WHERE user_id = ${userId}::uuid AND balance > 0 AND reserved = 0),
      forfeited AS (
        UPDATE holding h
        SET balance = 0, invested_paise = 0, version = h.version + 1,
          updated_at = ${at}::timestamptz
        FROM before WHERE h.user_id = before.user_id
        RETURNING h.user_id, before.balance, before.invested_paise, h.version)
      INSERT INTO holding_movement (id, user_id, order_id, kind, grams, invested_paise,
        balance_after, invested_after_paise, version, at)
      SELECT ${movementId}::uuid, user_id, NULL, 'FORFEITED', -balance, -invested_paise, 0, 0,
        version, ${at}::timestamptz
      FROM forfeited`,
  );
  invariant(count === 1, 'gold that is forfeited is held and not reserved');
};
