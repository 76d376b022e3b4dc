import { createTimers, type Timers } from '../clock/timers.ts';
import { AppError } from '../errors/app-error.ts';
import { isForDeletedCustomer, isTransient } from './errors.ts';

const backOffMs = (attempt: number): number => 2 ** attempt * 5 * (1 + (attempt % 3) / 2);

/**
 * Runs `work`, one transaction or one statement that is a transaction by itself, again after a
 * serialization failure or deadlock.
 * @throws AppError UNAUTHENTICATED when it writes for a customer who was deleted meanwhile
 */
export const repeatTransient = async <T>(
  work: () => Promise<T>,
  options: { readonly attempts?: number; readonly timers?: Timers } = {},
): Promise<T> => {
  const { attempts = 5, timers = createTimers() } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (isForDeletedCustomer(error)) throw new AppError('UNAUTHENTICATED', { cause: error });
      if (attempt >= attempts || !isTransient(error)) throw error;
      await timers.sleep(backOffMs(attempt));
    }
  }
};
