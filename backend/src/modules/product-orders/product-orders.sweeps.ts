import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Purge } from '../../platform/jobs/sweep.ts';
import { eraseOldKeys } from './product-orders.store.ts';

/**
 * Creates the purge that erases the idempotency keys and payload hashes of old orders. It uses the
 * business clock, because the orders' times are of that clock.
 */
export const createProductOrderKeyPurge = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): Purge => ({
  name: 'product-orders-purge-keys',
  deleteBatch: (limit) => eraseOldKeys(db, clock.now(), limit),
});
