import type { Clock } from '../../platform/clock/clock.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { validationError } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { lockHolding } from '../holdings/index.ts';
import { findUserByReferralCode } from '../identity/index.ts';
import { hasAllocatedOrder } from '../orders/index.ts';
import { insertReferral } from './referrals.store.ts';

/**
 * Creates the function that applies another customer's referral code, which inserts a PENDING reward for
 * that customer (contract: customers > Referrals). A customer may apply one code, before the first buy.
 * The function locks the customer's holding, which the allocation of a buy also locks. So either the code
 * is applied first and the buy earns the reward, or the buy is first and the code is refused.
 * @throws AppError NOT_FOUND if no customer has the code, VALIDATION_FAILED for the customer's own code,
 *   and CONFLICT if a code was already applied or the customer has already bought
 */
export const createApplyCode =
  ({
    inTransaction,
    clock,
    random,
  }: {
    readonly inTransaction: InTransaction;
    readonly clock: Clock;
    readonly random: Random;
  }) =>
  (refereeId: string, code: string): Promise<void> =>
    inTransaction(async (tx) => {
      await lockHolding(tx, refereeId);
      const referrerId = await findUserByReferralCode(tx, code);
      if (referrerId === undefined) throw new AppError('NOT_FOUND');
      if (referrerId === refereeId) {
        throw validationError([{ field: 'code', message: 'must not be your own code' }]);
      }
      if (await hasAllocatedOrder(tx, refereeId)) {
        const message = 'A referral code can only be used before your first purchase.';
        throw new AppError('CONFLICT', { message });
      }
      const ids = { id: random.uuid(), rewardId: random.uuid() };
      const appliedAt = clock.now();
      if (await insertReferral(tx, { ...ids, referrerId, refereeId, code, appliedAt })) return;
      throw new AppError('CONFLICT', { message: 'You have already used a referral code.' });
    });
