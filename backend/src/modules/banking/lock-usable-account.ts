import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { createBankAccountStore } from './bank-account.store.ts';

/**
 * Holds a customer's own verified account until the transaction ends, so that it can't be deleted
 * while it is written where the money goes. After the holding's lock, where there is one.
 * `field` is what the request calls the account.
 * @throws AppError NOT_FOUND for one that is unknown, deleted or somebody else's (decisions,
 * section 1); BANK_ACCOUNT_NOT_VERIFIED for an own one that is not VERIFIED.
 */
export const lockUsableAccount = async (
  db: Db,
  userId: string,
  bankAccountId: string,
  field = 'bank_account_id',
): Promise<{ readonly id: string; readonly status: 'VERIFIED' }> => {
  const account = await createBankAccountStore(db).lockForUse(bankAccountId);
  if (account === undefined || account.userId !== userId || account.deletedAt !== null) {
    throw new AppError('NOT_FOUND', { message: 'There is no such bank account.', field });
  }
  if (account.status !== 'VERIFIED') throw new AppError('BANK_ACCOUNT_NOT_VERIFIED', { field });
  return { id: account.id, status: 'VERIFIED' };
};
