import { msBetween } from '../../platform/clock/clock.ts';
import { endOfIstDay, startOfIstDay } from '../../platform/clock/ist.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { countValidations, insertValidation } from './account-validation.store.ts';
import type { BankingDeps } from './banking.types.ts';

/** Penny-drops of one customer in an IST day: each costs money (contract: limits > Rate limits). */
const maxValidations = 10;

/**
 * Writes down a penny-drop that a customer asks for, in the transaction that has their holding
 * locked, so that requests at once count each other.
 * @throws AppError VALIDATION_LIMIT
 */
export const recordValidation = async (
  { clock, metrics }: Pick<BankingDeps, 'clock' | 'metrics'>,
  tx: Db,
  validation: {
    readonly bankAccountId: string;
    readonly attempt: number;
    readonly userId: string;
  },
): Promise<void> => {
  const requestedAt = clock.now();
  const from = startOfIstDay(requestedAt);
  const until = endOfIstDay(requestedAt);
  if ((await countValidations(tx, validation.userId, { from, until })) >= maxValidations) {
    metrics.countBound('bank_validations');
    const retryAfterSeconds = msBetween(requestedAt, until) / 1000;
    throw new AppError('VALIDATION_LIMIT', { retryAfterSeconds });
  }
  await insertValidation(tx, { ...validation, requestedAt });
};
