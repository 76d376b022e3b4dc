import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { sql, type Db } from '../../platform/db/index.ts';
import { createRowPurge, type Purge } from '../../platform/jobs/sweep.ts';
import { keptMs } from './security-events.store.ts';

/** Creates the purge of events that have been kept long enough. */
export const createSecurityEventPurge = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): Purge =>
  createRowPurge(db, {
    name: 'security-events-purge',
    table: 'security_event',
    lapsed: () => sql`at < ${addMs(clock.now(), -keptMs)}::timestamptz`,
    orderBy: 'at',
  });
