import { selectOne, sql, type Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { toKycStatus } from './kyc.store.ts';
import type { KycStatus } from './kyc.types.ts';

/**
 * Returns the customer's KYC status, PENDING before anything was submitted. Raw SQL, since every
 * quote and every purchase reads it.
 */
export const kycStatusOf = async (db: Db, userId: string): Promise<KycStatus> => {
  const row = await selectOne<{ status: string }>(
    db,
    sql`SELECT status FROM kyc_record WHERE user_id = ${userId}::uuid`,
  );
  return row === undefined ? 'PENDING' : toKycStatus(row.status);
};

/** @throws AppError KYC_REQUIRED unless KYC is approved. */
export const requireApprovedKyc = async (db: Db, userId: string): Promise<void> => {
  const status = await kycStatusOf(db, userId);
  if (status !== 'APPROVED') throw new AppError('KYC_REQUIRED', { details: { status } });
};
