import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { SecondFactorDeps } from '../second-factor/index.ts';
import { removeFactor, type FactorRemoval } from '../staff-credentials/index.ts';
import { portalActor } from './accounting.types.ts';
import { requireReach } from './portal-grants.ts';
import { portalAccounts, type PortalSignInDeps } from './portal-sign-in.ts';
import { lockPortalUser, type PortalUserRecord } from './portal-users.store.ts';
import type { PortalAuthor } from './put-statutory-parameter.ts';

/**
 * Takes a user's factor away in the caller's transaction, and ends their sessions.
 * @throws AppError NOT_FOUND, and CONFLICT without one
 */
export const removePortalFactor = async (
  deps: SecondFactorDeps & { readonly clock: Clock },
  tx: Db,
  key: { readonly id: string } | { readonly email: string },
  audit: (change: FactorRemoval) => Promise<void>,
): Promise<PortalUserRecord> => {
  const account = await lockPortalUser(tx, key);
  if (account === undefined)
    throw new AppError('NOT_FOUND', { message: 'There is no such portal user.' });
  return removeFactor(deps, tx, { accounts: portalAccounts, account }, audit);
};

/**
 * Takes the authenticator app of another user away, and ends their sessions. It needs the reach of a
 * new password.
 * @throws AppError NOT_FOUND, and PERMISSION_DENIED for one's own and for a user who can do more,
 * and CONFLICT without an app
 */
export const disablePortalFactor = async (
  deps: PortalSignInDeps,
  by: PortalAuthor,
  { id, reason }: { readonly id: string; readonly reason: string },
): Promise<PortalUserRecord> =>
  deps.inTransaction(async (tx) => {
    const user = await lockPortalUser(tx, { id });
    if (user === undefined)
      throw new AppError('NOT_FOUND', { message: 'There is no such portal user.' });
    if (id === by.principal.portalUserId) {
      const message = 'You cannot disable your own second factor. Ask another super admin.';
      throw new AppError('PERMISSION_DENIED', { message });
    }
    requireReach(by.principal, user);
    return removePortalFactor(deps, tx, { id }, (change) =>
      deps.audit.record(tx, {
        ...portalActor(by.principal, by.context),
        ...change,
        sealed: { after: { reason } },
      }),
    );
  });
