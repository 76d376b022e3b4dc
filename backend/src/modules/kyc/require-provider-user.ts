import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { findUser } from '../identity/index.ts';
import { requireApprovedKyc } from './kyc.store.ts';

/**
 * Returns the provider's id of the customer.
 * @throws AppError KYC_REQUIRED
 */
export const requireProviderUser = async (db: Db, userId: string): Promise<string> => {
  const [user] = await Promise.all([findUser(db, userId), requireApprovedKyc(db, userId)]);
  // Approval registers with the provider first, so whoever is approved has an id there.
  const id = user?.providerUserId ?? null;
  if (id === null) throw new AppError('KYC_REQUIRED');
  return id;
};
