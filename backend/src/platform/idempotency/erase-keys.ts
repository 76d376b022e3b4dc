import { execute, sql, type Db } from '../db/index.ts';

/**
 * Makes an owner's keys meaningless, in the transaction that deletes the owner: a key is the
 * client's own text and a payload's hash could be guessed. The rows go on naming what they made.
 */
export const eraseKeys = async (tx: Db, ownerId: string): Promise<void> => {
  await execute(
    tx,
    sql`
      UPDATE idempotency_key SET key = gen_random_uuid()::text, payload_hash = ''
      WHERE owner_id = ${ownerId}::uuid`,
  );
};
