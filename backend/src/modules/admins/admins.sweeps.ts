import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Purge } from '../../platform/jobs/index.ts';
import { createAdminLoginGuard } from './sign-in-admin.ts';

/** Deletes expired counts of operators' failed sign-ins. */
export const createAdminSignInPurge = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): Purge => {
  const guard = createAdminLoginGuard(clock);
  return {
    name: 'admins-purge-sign-ins',
    deleteBatch: (limit) => guard.deleteLapsed(db, limit),
  };
};
