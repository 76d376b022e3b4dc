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

const endLeasesIn = async (db: Db, fromNow: string): Promise<void> => {
  for (const [table, until, holder] of leases) {
    await execute(
      db,
      sql`
      UPDATE ${sqlName(table)} SET ${sqlName(until)} = clock_timestamp() + ${fromNow}::interval
      WHERE ${sqlName(holder)} IS NOT NULL`,
    );
  }
};

/** Sets when the running jobs were taken. Jobs of dead workers are freed some seconds later. */
const setJobsTaken = async (db: Db, fromNow: string): Promise<void> => {
  await execute(
    db,
    sql`
    UPDATE graphile_worker._private_jobs SET locked_at = clock_timestamp() + ${fromNow}::interval
    WHERE locked_by IS NOT NULL`,
  );
};

const deleteKeys = async (redis: Redis, pattern: string): Promise<void> => {
  const keys = await redis.keys(pattern);
  if (keys.length > 0) await redis.del(...keys);
};

/**
 * Ends every lease and every sale's lock, as real time does when the process that held them was
 * killed. Business time does not move.
 */
export const lapseLeases = async (db: Db, redis: Redis): Promise<void> => {
  await endLeasesIn(db, '0');
  await deleteKeys(redis, 'lock:sell:*');
};

/**
 * Leaves to the workers that were killed what they had taken, however long the test goes on: the
 * next worker, which is killed as well, must not finish it.
 */
export const keepClaims = async (db: Db): Promise<void> => {
  await endLeasesIn(db, '1 hour');
  await setJobsTaken(db, '1 hour');
};

/** Frees what workers had taken that were killed, and lets the next one sweep at once. */
export const lapseClaims = async (db: Db, redis: Redis): Promise<void> => {
  await lapseLeases(db, redis);
  await setJobsTaken(db, '-1 minute');
  await deleteKeys(redis, 'sweep-ran:*');
};
