import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';

/**
 * In a sell's transaction, after the holding's row is locked: holds the account, so that it can't
 * be deleted while the sell is written.
 * @throws AppError NOT_FOUND for one that is unknown, deleted or somebody else's (decisions,
 * section 1); BANK_ACCOUNT_NOT_VERIFIED for an own one that is not VERIFIED.
 */
export const lockUsableAccount = async (
  db: Db,
  userId: string,
  bankAccountId: string,
): Promise<{ readonly id: string; readonly status: 'VERIFIED' }> => {
  const [row] = await db.$queryRaw<{ id: string; status: string }[]>`
    SELECT id, status FROM bank_account
    WHERE id = ${bankAccountId}::uuid AND user_id = ${userId}::uuid AND deleted_at IS NULL
    FOR SHARE`;
  if (row === undefined) {
    throw new AppError('NOT_FOUND', {
      message: 'There is no such bank account.',
      field: 'bank_account_id',
    });
  }
  if (row.status !== 'VERIFIED') {
    throw new AppError('BANK_ACCOUNT_NOT_VERIFIED', { field: 'bank_account_id' });
  }
  return { id: row.id, status: 'VERIFIED' };
};
