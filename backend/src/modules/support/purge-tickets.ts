import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Purge } from '../../platform/jobs/index.ts';
import { eraseContents } from './support.store.ts';

/** Erases what strangers wrote in tickets after 30 days; the tickets stay. */
export const createTicketPurge = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): Purge => ({
  name: 'purge-tickets',
  deleteBatch: (limit) => eraseContents(db, clock.now(), limit),
});
