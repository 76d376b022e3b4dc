import { readAlone, readTogether, type Db, type ReadValues } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { readProviderUserId } from '../identity/index.ts';
import { readKycStatus, requireApproved } from './kyc.store.ts';

/**
 * Returns the provider's id of a customer whose order is in progress. The order continues even if KYC
 * was withdrawn in the meantime, because the customer has already paid for it (contract: states > KYC).
 * @throws AppError KYC_REQUIRED if the customer was never registered with the provider
 */
export const requireRegisteredUser = async (db: Db, userId: string): Promise<string> => {
  const id = await readAlone(db, readProviderUserId(userId));
  if (id === null) throw new AppError('KYC_REQUIRED');
  return id;
};

/** Declares the reads that `requireTrader` needs, so that the caller can combine them with others. */
export const readTrader = (userId: string) => ({
  kycStatus: readKycStatus(userId),
  providerUserId: readProviderUserId(userId),
});

/**
 * Returns the provider's id of a customer who may begin to buy or sell.
 * @throws AppError KYC_REQUIRED
 */
export const requireTrader = ({
  kycStatus,
  providerUserId,
}: ReadValues<ReturnType<typeof readTrader>>): string => {
  requireApproved(kycStatus);
  // Approval first registers the customer with the provider, so every approved customer has an id
  // there.
  if (providerUserId === null) throw new AppError('KYC_REQUIRED');
  return providerUserId;
};

/** Reads the customer's status and provider id, and returns the id as `requireTrader` does. */
export const requireProviderUser = async (db: Db, userId: string): Promise<string> =>
  requireTrader(await readTogether(db, readTrader(userId)));
