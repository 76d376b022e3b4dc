import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Purge } from '../../platform/jobs/sweep.ts';
import { eraseOldKeys } from './product-orders.store.ts';

/**
 * Creates the purge of the keys of orders, with which the hashes of their payloads go. An order's
 * age is counted in the time that it was written in.
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
