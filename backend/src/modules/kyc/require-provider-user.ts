import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { findUser } from '../identity/index.ts';
import { requireApprovedKyc } from './kyc.store.ts';

/**
 * Returns the provider's id of a customer whose order has begun: it goes on where KYC was taken
 * back since, or the money that was paid for it would buy nothing (contract: states > KYC).
 * @throws AppError KYC_REQUIRED for one who was never registered with the provider
 */
export const requireRegisteredUser = async (db: Db, userId: string): Promise<string> => {
  const id = (await findUser(db, userId))?.providerUserId ?? null;
  if (id === null) throw new AppError('KYC_REQUIRED');
  return id;
};

/**
 * Returns the provider's id of a customer who may begin to buy or sell.
 * @throws AppError KYC_REQUIRED
 */
export const requireProviderUser = async (db: Db, userId: string): Promise<string> => {
  // Approval registers with the provider first, so whoever is approved has an id there.
  const [id] = await Promise.all([
    requireRegisteredUser(db, userId),
    requireApprovedKyc(db, userId),
  ]);
  return id;
};
