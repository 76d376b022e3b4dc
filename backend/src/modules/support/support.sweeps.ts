import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Purge } from '../../platform/jobs/sweep.ts';
import { eraseContents, eraseMessages, eraseNotes } from './ticket-messages.store.ts';

/**
 * Erases what the service key sealed of tickets, 30 days after they were resolved: what was written
 * and noted. The tickets stay, and of one that is open nothing is erased.
 */
export const createTicketPurge = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): Purge => ({
  name: 'support-purge-tickets',
  async deleteBatch(limit) {
    let erased = 0;
    for (const erase of [eraseContents, eraseNotes, eraseMessages]) {
      erased += await erase(db, clock.now(), limit - erased);
    }
    return erased;
  },
});
