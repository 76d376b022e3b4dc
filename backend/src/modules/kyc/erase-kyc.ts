import type { Db } from '../../platform/db/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { transitionKyc } from './kyc.states.ts';
import { lockKycOfUser } from './kyc.store.ts';

const erasedColumns = {
  panSealed: null,
  panLast4: null,
  panHash: null,
  aadhaarSealed: null,
  aadhaarLast4: null,
  aadhaarHash: null,
  hashKey: null,
  fullNameSealed: null,
  dateOfBirthSealed: null,
  pincode: null,
  pincodeSealed: null,
  documentKey: null,
  selfieKey: null,
} as const;

/**
 * Erases the personal fields of a customer's record, in the transaction that deletes the account. A
 * SUBMITTED record becomes PENDING, and the PAN and the Aadhaar can be used by another account. The rows
 * of the documents stay until the sweep has removed the documents from the object store.
 */
export const eraseKyc = async (
  { logger }: { readonly logger: Pick<Logger, 'info' | 'error'> },
  tx: Db,
  { userId, at }: { readonly userId: string; readonly at: Date },
): Promise<void> => {
  const record = await lockKycOfUser(tx, userId);
  if (record === undefined) return;
  const { id, status } = record;
  if (status === 'SUBMITTED') {
    await transitionKyc({ logger }, record, {
      to: 'PENDING',
      actor: `customer:${userId}`,
      cause: 'account.deleted',
      update: async () => {
        const { count } = await tx.kycRecord.updateMany({
          where: { id, status },
          data: { status: 'PENDING' },
        });
        return count;
      },
    });
  }
  await tx.kycRecord.updateMany({
    where: { id },
    // A rejected record must have a reason, so an empty reason is stored.
    data: { ...erasedColumns, reviewReason: null, reviewReasonSealed: '', updatedAt: at },
  });
};
