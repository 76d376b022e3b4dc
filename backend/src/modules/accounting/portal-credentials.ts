import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { SecondFactorDeps } from '../second-factor/index.ts';
import { removeFactor, type FactorRemoval } from '../staff-credentials/index.ts';
import { portalActor } from './accounting.types.ts';
import { requirePasswordRights } from './portal-grants.ts';
import { portalAccounts, type PortalSignInDeps } from './portal-sign-in.ts';
import { lockPortalUser, type PortalUserRecord } from './portal-users.store.ts';
import type { PortalAuthor } from './put-statutory-parameter.ts';

/**
 * Removes a user's second factor in the caller's transaction, and ends the user's sessions.
 * @throws AppError NOT_FOUND for an unknown user, and CONFLICT if the user has no second factor
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
 * Removes the authenticator app of another user, and ends the user's sessions. The author needs the
 * same rights as for setting the user's password.
 * @throws AppError NOT_FOUND for an unknown user, and CONFLICT if the user has no app
 * @throws AppError PERMISSION_DENIED for the author's own app, and for a user with more permissions
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
    requirePasswordRights(by.principal, user);
    return removePortalFactor(deps, tx, { id }, (change) =>
      deps.audit.record(tx, {
        ...portalActor(by.principal, by.context),
        ...change,
        sealed: { after: { reason } },
      }),
    );
  });
