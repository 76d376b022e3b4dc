import {
  gramsFromDatabase,
  gramsToDatabase,
  paise,
  type DatabaseDecimal,
} from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { EMPTY_HOLDING, type Credit, type Holding } from './holdings.types.ts';

interface HoldingRow {
  readonly balance: DatabaseDecimal;
  readonly reserved: DatabaseDecimal;
  readonly invested_paise: bigint;
}

const toHolding = (row: HoldingRow): Holding => ({
  balance: gramsFromDatabase(row.balance),
  reserved: gramsFromDatabase(row.reserved),
  investedPaise: paise(row.invested_paise),
});

/** Makes the empty holding of a new customer; harmless where there is one. */
export const createHolding = async (db: Db, userId: string, at: Date): Promise<void> => {
  await db.$executeRaw`
    INSERT INTO holding (user_id, created_at, updated_at)
    VALUES (${userId}::uuid, ${at}::timestamptz, ${at}::timestamptz)
    ON CONFLICT (user_id) DO NOTHING`;
};

/** What a customer holds now; nothing, where the customer is not known. */
export const readHolding = async (db: Db, userId: string): Promise<Holding> => {
  const [row] = await db.$queryRaw<HoldingRow[]>`
    SELECT balance, reserved, invested_paise FROM holding WHERE user_id = ${userId}::uuid`;
  return row === undefined ? EMPTY_HOLDING : toHolding(row);
};

/**
 * Locks the holding until the transaction ends: whatever is counted per customer (free grams, the
 * daily limit) is counted after this. The row is made with the customer, so there is always one.
 */
export const lockHolding = async (db: Db, userId: string): Promise<Holding> => {
  const [row] = await db.$queryRaw<HoldingRow[]>`
    SELECT balance, reserved, invested_paise FROM holding WHERE user_id = ${userId}::uuid
    FOR UPDATE`;
  if (row === undefined) throw new Error('a customer has no holding');
  return toHolding(row);
};

/**
 * Puts an order's gold into the holding, with the movement that says so: one statement, so that a
 * balance is always the sum of its movements. An order is credited once: the second time breaks
 * the unique key of (order, kind) and the transaction falls.
 */
export const creditHolding = async (db: Db, credit: Credit): Promise<void> => {
  const grams = gramsToDatabase(credit.grams);
  const count = await db.$executeRaw`
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
    FROM credited`;
  if (count !== 1) throw new Error('a customer has no holding');
};
