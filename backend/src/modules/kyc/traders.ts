import { selectOne, sql, type Db, type Sql } from '../../platform/db/index.ts';

/**
 * Returns the condition that the customer `userId` may start to buy gold. The customer is not blocked or
 * deleted, and KYC is APPROVED. Plans and debits of other customers wait (contract: plans > Schedule).
 */
export const isTrader = (userId: Sql): Sql => sql`EXISTS (
  SELECT FROM app_user u JOIN kyc_record k ON k.user_id = u.id
  WHERE u.id = ${userId} AND NOT u.blocked AND u.deleted_at IS NULL AND k.status = 'APPROVED')`;

/** Returns true if the customer may start to buy gold now. */
export const mayTrade = async (db: Db, userId: string): Promise<boolean> => {
  const row = await selectOne<{ mayTrade: boolean }>(
    db,
    sql`SELECT ${isTrader(sql`${userId}::uuid`)} AS "mayTrade"`,
  );
  return row?.mayTrade === true;
};
