import { createLoginPurge } from '../../platform/auth/login-guard.ts';
import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { sql, type Db } from '../../platform/db/index.ts';
import { createRowPurge, type Purge } from '../../platform/jobs/sweep.ts';

interface PurgeDeps {
  readonly db: Db;
  readonly clock: Clock;
}

/** Creates the purge of portal users' failed sign-ins. */
export const createPortalSignInPurge = (deps: PurgeDeps): Purge =>
  createLoginPurge({ ...deps, api: 'portal', name: 'accounting-purge-sign-ins' });

/** The time in ms for which ended sessions are kept, so that a misuse can be investigated. */
const keptMs = 30 * 24 * 60 * 60_000;

/** Creates the purge of portal users' sessions that ended long ago. */
export const createPortalSessionPurge = ({ db, clock }: PurgeDeps): Purge =>
  createRowPurge(db, {
    name: 'accounting-purge-sessions',
    table: 'portal_session',
    lapsed: () => sql`expires_at < ${addMs(clock.now(), -keptMs)}::timestamptz`,
    orderBy: 'expires_at',
  });
