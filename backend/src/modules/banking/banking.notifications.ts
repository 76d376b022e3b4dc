import type { Db } from '../../platform/db/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { BankAccount } from './banking.types.ts';

/** Notifies the customer that an account was added, in case another person added it. */
export const notifyAdded = (
  db: Db,
  notify: Notify,
  { id, userId, accountNumber }: { id: string; userId: string; accountNumber: string },
): Promise<void> =>
  notify(db, {
    userId,
    type: 'bank_added',
    title: 'Bank account added',
    body:
      `A bank account ending in ${accountNumber.slice(-4)} was added to your account. ` +
      'If this was not you, please contact support.',
    data: { bankAccountId: id },
    dedupeKey: `bank-added:${id}`,
  });

/** Notifies the customer of the result of a validation. */
export const notifyValidated = (
  db: Db,
  notify: Notify,
  account: BankAccount,
  status: 'VERIFIED' | 'FAILED',
): Promise<void> => {
  const ending = `bank account ending in ${account.accountLast4}`;
  const isVerified = status === 'VERIFIED';
  return notify(db, {
    userId: account.userId,
    type: isVerified ? 'bank_verified' : 'bank_failed',
    title: isVerified ? 'Bank account verified' : 'Bank account not verified',
    body: isVerified
      ? `Your ${ending} is verified. You can now receive money there when you sell gold.`
      : `We could not verify your ${ending}, so it can't receive money yet. ` +
        'Please check its details and try again.',
    data: { bankAccountId: account.id },
    dedupeKey: `bank:${account.id}:${account.validationAttempt}`,
  });
};
