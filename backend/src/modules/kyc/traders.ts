import { selectOne, sql, type Db, type Sql } from '../../platform/db/index.ts';

/**
 * Returns the condition that the customer of id `userId` may begin to buy gold: in good standing,
 * with approved KYC. Plans and debits of others wait (contract: plans > Schedule).
 */
export const isTrader = (userId: Sql): Sql => sql`EXISTS (
  SELECT FROM app_user u JOIN kyc_record k ON k.user_id = u.id
  WHERE u.id = ${userId} AND NOT u.blocked AND u.deleted_at IS NULL AND k.status = 'APPROVED')`;

/** Returns true for a customer who may begin to buy gold now. */
export const mayTrade = async (db: Db, userId: string): Promise<boolean> => {
  const row = await selectOne<{ may: boolean }>(
    db,
    sql`SELECT ${isTrader(sql`${userId}::uuid`)} AS may`,
  );
  return row?.may === true;
};
