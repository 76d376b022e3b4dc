import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Purge } from '../../platform/jobs/sweep.ts';
import { eraseContents, eraseMessages, eraseNotes } from './ticket-messages.store.ts';

/**
 * Creates the purge that erases texts, messages and notes that the service key sealed, 30 days after the
 * ticket was resolved. The rows stay. Nothing of an open ticket is erased.
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
    let erasedCount = 0;
    for (const erase of [eraseContents, eraseNotes, eraseMessages]) {
      erasedCount += await erase(db, clock.now(), limit - erasedCount);
    }
    return erasedCount;
  },
});
