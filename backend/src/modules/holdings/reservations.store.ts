import {
  gramsFromDatabase,
  gramsToDatabase,
  investedLeavingWith,
  subtractGrams,
  type Grams,
  type Paise,
} from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { lockHolding } from './holdings.store.ts';
import type { Debit, Holding, Reservation } from './holdings.types.ts';

/** What may be sold: the balance without what sells in progress hold back. */
export const availableGrams = ({ balance, reserved }: Holding): Grams =>
  subtractGrams(balance, reserved);

/**
 * Holds gold back for a sell, in the transaction that writes the sell. False when less than that
 * is free: nothing has changed then.
 */
export const reserveGrams = async (db: Db, reservation: Reservation): Promise<boolean> => {
  const grams = gramsToDatabase(reservation.grams);
  const count = await db.$executeRaw`
    UPDATE holding
    SET reserved = reserved + ${grams}::numeric, version = version + 1,
      updated_at = ${reservation.at}::timestamptz
    WHERE user_id = ${reservation.userId}::uuid AND balance - reserved >= ${grams}::numeric`;
  return count === 1;
};

/** Gives held back gold free, in the transaction in which its sell fails. */
export const releaseGrams = async (db: Db, reservation: Reservation): Promise<void> => {
  const grams = gramsToDatabase(reservation.grams);
  const count = await db.$executeRaw`
    UPDATE holding
    SET reserved = reserved - ${grams}::numeric, version = version + 1,
      updated_at = ${reservation.at}::timestamptz
    WHERE user_id = ${reservation.userId}::uuid AND reserved >= ${grams}::numeric`;
  if (count !== 1) throw new Error('more gold is given free than was held back');
};

/**
 * Takes a sell's gold out of the holding, with the movement that says so: balance and reservation
 * shrink by its grams, what was invested in proportion, half-up, and to zero with the last gram
 * (decisions, section 2). Answers what left of the invested amount. An order is debited once: the
 * second time breaks the unique key of (order, kind) and the transaction falls.
 */
export const debitHolding = async (db: Db, debit: Debit): Promise<Paise> => {
  const { movementId, userId, orderId, at } = debit;
  const before = await lockHolding(db, userId);
  const leaving = investedLeavingWith(before, debit.grams);
  const grams = gramsToDatabase(debit.grams);
  const rows = await db.$queryRaw<{ balance_after: string }[]>`
    WITH debited AS (
      UPDATE holding
      SET balance = balance - ${grams}::numeric, reserved = reserved - ${grams}::numeric,
        invested_paise = invested_paise - ${leaving}::bigint,
        version = version + 1, updated_at = ${at}::timestamptz
      WHERE user_id = ${userId}::uuid AND reserved >= ${grams}::numeric
      RETURNING user_id, balance, invested_paise, version)
    INSERT INTO holding_movement (id, user_id, order_id, kind, grams, invested_paise,
      balance_after, invested_after_paise, version, at)
    SELECT ${movementId}::uuid, user_id, ${orderId}::uuid, 'DEBIT', -${grams}::numeric,
      -${leaving}::bigint, balance, invested_paise, version, ${at}::timestamptz
    FROM debited
    RETURNING balance_after::text`;
  const [moved] = rows;
  if (moved === undefined) throw new Error('gold was sold that was not held back');
  const left = subtractGrams(before.balance, debit.grams);
  if (gramsFromDatabase(moved.balance_after) !== left) throw new Error('a holding does not add up');
  return leaving;
};
