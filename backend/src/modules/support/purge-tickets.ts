import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Purge } from '../../platform/jobs/index.ts';
import { eraseContents, eraseNotes } from './support.store.ts';

/**
 * Erases what strangers wrote in tickets after 30 days, and what operators noted there; the tickets
 * stay.
 */
export const createTicketPurge = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): Purge => ({
  name: 'purge-tickets',
  async deleteBatch(limit) {
    const erased = await eraseContents(db, clock.now(), limit);
    return erased + (await eraseNotes(db, clock.now(), limit - erased));
  },
});
