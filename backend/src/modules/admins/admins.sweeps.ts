import { createLoginPurge } from '../../platform/auth/login-guard.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Purge } from '../../platform/jobs/sweep.ts';

/** Creates the purge of operators' failed sign-ins. */
export const createAdminSignInPurge = (deps: { readonly db: Db; readonly clock: Clock }): Purge =>
  createLoginPurge({ ...deps, api: 'admin', name: 'admins-purge-sign-ins' });
