import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { SecondFactorDeps } from '../second-factor/index.ts';
import { removeFactor, type FactorRemoval } from '../staff-credentials/index.ts';
import { findAdmin, lockAdminByEmail, type AdminRecord } from './admins.store.ts';
import { adminActor, type ByOperator } from './admins.types.ts';
import { operatorAccounts, type SignInAdminDeps } from './sign-in-admin.ts';

/**
 * Removes the authenticator app of another operator, and ends their sign-ins.
 * @throws AppError NOT_FOUND, FORBIDDEN for the caller's own app, CONFLICT if there is no app
 */
export const disableFactor = async (
  deps: SignInAdminDeps,
  by: ByOperator,
  { adminId, reason }: { readonly adminId: string; readonly reason: string },
): Promise<AdminRecord> => {
  const admin = await findAdmin(deps.db, adminId);
  if (admin === undefined) throw new AppError('NOT_FOUND');
  if (adminId === by.principal.adminId) {
    const message = 'You cannot disable your own second factor. Ask another super admin.';
    throw new AppError('FORBIDDEN', { message });
  }
  return deps.inTransaction((tx) =>
    removeOperatorFactor(deps, tx, admin.email, (change) =>
      deps.audit.record(tx, {
        ...adminActor(by.principal, by.context),
        ...change,
        sealed: { after: { reason } },
      }),
    ),
  );
};

/**
 * Removes an operator's factor in the caller's transaction.
 * @throws AppError NOT_FOUND, CONFLICT if there is no factor
 */
export const removeOperatorFactor = async (
  deps: SecondFactorDeps & { readonly clock: Clock },
  tx: Db,
  email: string,
  audit: (change: FactorRemoval) => Promise<void>,
): Promise<AdminRecord> => {
  const account = await lockAdminByEmail(tx, email);
  if (account === undefined) {
    throw new AppError('NOT_FOUND', {
      message: `There is no operator with the email ${email}.`,
      field: 'email',
    });
  }
  return removeFactor(deps, tx, { accounts: operatorAccounts, account }, audit);
};
