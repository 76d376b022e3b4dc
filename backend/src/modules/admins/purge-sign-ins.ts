import { createLoginGuard } from '../../platform/auth/login-guard.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';

/** Deletes counts of failed sign-ins that decide nothing any more; a batch at a time. */
export const purgeAdminSignIns = ({ db, clock }: { db: Db; clock: Clock }): Promise<void> =>
  createLoginGuard({ table: 'admin_login_guard', clock }).purge(db);
