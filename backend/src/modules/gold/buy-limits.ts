import { addPaise, formatRupees, toSafePaise, type Paise } from '../../money/index.ts';
import { endOfIstDay, startOfIstDay } from '../../platform/clock/ist.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { LimitName, Limits } from '../settings/index.ts';
import { createGoldOrderStore } from './gold-order.store.ts';

const words: Readonly<Partial<Record<LimitName, string>>> = {
  minBuyPaise: 'A buy is at least',
  maxBuyPaise: 'A buy is at most',
  dailyBuyPaise: 'The buys of a day come to at most',
};

const exceeded = (limit: LimitName, limits: Limits): AppError =>
  new AppError('LIMIT_EXCEEDED', {
    message: `${words[limit] ?? limit} INR ${formatRupees(limits[limit])}.`,
    field: 'amount',
    details: { limit, limitPaise: toSafePaise(limits[limit]) },
  });

/**
 * Holds the gross amount of one buy against its limits.
 * @throws AppError LIMIT_EXCEEDED with the limit in `details`
 */
export const checkBuyAmount = (limits: Limits, amountPaise: Paise): void => {
  if (amountPaise < limits.minBuyPaise) throw exceeded('minBuyPaise', limits);
  if (amountPaise > limits.maxBuyPaise) throw exceeded('maxBuyPaise', limits);
};

/**
 * Holds a further buy against what the customer has bought on this IST day. Definite only under
 * the lock of the customer's holding; without it, an early answer.
 * @throws AppError LIMIT_EXCEEDED with the limit in `details`
 */
export const checkDailyBuys = async (
  db: Db,
  buy: { readonly userId: string; readonly amountPaise: Paise },
  limits: Limits,
  now: Date,
): Promise<void> => {
  const { userId, amountPaise } = buy;
  const store = createGoldOrderStore(db);
  const bought = await store.boughtPaise(userId, startOfIstDay(now), endOfIstDay(now), now);
  if (addPaise(bought, amountPaise) > limits.dailyBuyPaise) throw exceeded('dailyBuyPaise', limits);
};
