import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { lockAccountForUse } from './bank-account.store.ts';

/**
 * Locks a customer's own verified account until the transaction ends, so that it can't be deleted
 * while an order is written that pays to it. After the holding's lock, where there is one. `field`
 * is what the request calls the account.
 * @throws AppError NOT_FOUND for one that is unknown, deleted or somebody else's;
 * BANK_ACCOUNT_NOT_VERIFIED for an own one that is not VERIFIED.
 */
export const lockUsableAccount = async (
  db: Db,
  userId: string,
  bankAccountId: string,
  field = 'bank_account_id',
): Promise<{ readonly id: string; readonly status: 'VERIFIED' }> => {
  const account = await lockAccountForUse(db, bankAccountId);
  if (account === undefined || account.userId !== userId || account.deletedAt !== null) {
    throw new AppError('NOT_FOUND', { message: 'There is no such bank account.', field });
  }
  if (account.status !== 'VERIFIED') throw new AppError('BANK_ACCOUNT_NOT_VERIFIED', { field });
  return { id: account.id, status: 'VERIFIED' };
};

export interface AccountStanding {
  readonly userId: string;
  /** It is verified and not deleted, so it may be paid to. */
  readonly isUsable: boolean;
}

/** Locks an account until the transaction ends and returns whether it may be paid to. */
export const lockAccountStanding = async (
  tx: Db,
  bankAccountId: string,
): Promise<AccountStanding | undefined> => {
  const account = await lockAccountForUse(tx, bankAccountId);
  if (account === undefined) return undefined;
  const isUsable = account.status === 'VERIFIED' && account.deletedAt === null;
  return { userId: account.userId, isUsable };
};
