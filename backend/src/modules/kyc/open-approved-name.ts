import type { Sealer } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { openFullName } from './kyc-sealing.ts';
import { findKycByUser } from './kyc.store.ts';

/** Returns the full name of a customer whose KYC is APPROVED, or undefined for any other status. */
export const openApprovedName = async (
  db: Db,
  sealer: Sealer,
  userId: string,
): Promise<string | undefined> => {
  const row = await findKycByUser(db, userId);
  if (row?.status !== 'APPROVED' || row.fullNameSealed === null) return undefined;
  return openFullName(sealer, row.fullNameSealed, row.id);
};
