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

/** Creates the empty holding of a new customer. Changes nothing if the customer has a holding. */
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

/** Returns the read of a customer's holding, for one statement with other reads. */
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

/** Returns a customer's holding, or an empty holding if the customer has none. */
export const readHolding = async (db: Db, userId: string): Promise<Holding> => {
  const row = await db.holding.findUnique({
    where: { userId },
    select: { balance: true, reserved: true, investedPaise: true },
  });
  return row === null ? EMPTY_HOLDING : toHolding(row);
};

/**
 * Returns the grams on an account at the gold provider that belong to the house. They were forfeited
 * by the customer, or recovered from the customer, or from an earlier owner of the phone number.
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
 * Locks the holding of a customer until the transaction ends, and returns it. Everything that is
 * counted per customer, such as available grams and the daily limit, must be counted under this
 * lock. The row is created with the customer.
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

/** Returns the grams that may be sold: the balance less the reserved grams. */
export const availableGrams = ({ balance, reserved }: Holding): Grams =>
  subtractGrams(balance, reserved);

/**
 * Reserves gold for a sale, in the transaction that writes the sale. Returns false and changes
 * nothing if too few grams are available.
 */
export const reserveGrams = async (db: Db, reservation: Reservation): Promise<boolean> =>
  (await execute(db, reserveGramsSql(reservation))) === 1;

/**
 * Returns the statement that reserves gold, as a part of another statement. It returns no row if too
 * few grams are available.
 */
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
 * Credits an order's gold to the holding and writes the movement, in one statement, so that a
 * balance is always the sum of its movements.
 * @throws a unique violation if the order was already credited
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
 * Debits reserved gold from the holding and writes the movement (contract: money > Holdings). The
 * balance and the reserved grams decrease by the grams. The invested amount decreases in proportion,
 * rounded half-up, and is zero after the last gram. Returns the decrease of the invested amount.
 * @throws a unique violation if the order already has a movement of this kind
 */
export const debitHolding = async (tx: Db, debit: Debit): Promise<Paise> => {
  const { movementId, userId, orderId, at, kind = 'DEBIT' } = debit;
  const before = await lockHolding(tx, userId);
  const leavingPaise = investedLeavingWith(before, debit.grams);
  const grams = gramsToDatabase(debit.grams);
  const movement = await selectOne<{ balanceAfter: string }>(
    tx,
    sql`
      WITH debited AS (
        UPDATE holding
        SET balance = balance - ${grams}::numeric, reserved = reserved - ${grams}::numeric,
          invested_paise = invested_paise - ${leavingPaise}::bigint,
          version = version + 1, updated_at = ${at}::timestamptz
        WHERE user_id = ${userId}::uuid AND reserved >= ${grams}::numeric
        RETURNING user_id, balance, invested_paise, version)
      INSERT INTO holding_movement (id, user_id, order_id, kind, grams, invested_paise,
        balance_after, invested_after_paise, version, at)
      SELECT ${movementId}::uuid, user_id, ${orderId}::uuid, ${kind}, -${grams}::numeric,
        -${leavingPaise}::bigint, balance, invested_paise, version, ${at}::timestamptz
      FROM debited
      RETURNING balance_after::text AS "balanceAfter"`,
  );
  invariant(movement, 'the gold of a confirmed sale was reserved');
  const balanceAfter = subtractGrams(before.balance, debit.grams);
  invariant(gramsFromDatabase(movement.balanceAfter) === balanceAfter, 'a holding adds up');
  return leavingPaise;
};

/**
 * Transfers a customer's whole balance to the house by a FORFEITED movement, in the transaction that
 * deletes the account and has locked the holding. No grams may be reserved.
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
