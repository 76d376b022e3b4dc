import type { Redis } from 'ioredis';
import { execute, sql, sqlName, type Db } from '../../src/platform/db/index.ts';

/** Every lease of a row: its table, the column of its end, the column of its holder. */
const leases = [
  ['idempotency_key', 'lease_until', 'holder_id'],
  ['provider_operation', 'lease_until', 'holder_id'],
  ['payment_order', 'lease_until', 'holder_id'],
  ['payout_attempt', 'lease_until', 'holder_id'],
  ['sip_plan', 'lease_until', 'holder_id'],
  ['bank_account', 'validation_lease_until', 'validation_holder_id'],
] as const;

/**
 * Ends every lease and every sale's lock, as real time does when the process that held them was
 * killed. Business time does not move.
 */
export const lapseLeases = async (db: Db, redis: Redis): Promise<void> => {
  for (const [table, until, holder] of leases) {
    await execute(
      db,
      sql`
      UPDATE ${sqlName(table)} SET ${sqlName(until)} = clock_timestamp()
      WHERE ${sqlName(holder)} IS NOT NULL`,
    );
  }
  const locks = await redis.keys('lock:sell:*');
  if (locks.length > 0) await redis.del(...locks);
};
