import { addPaise, type Paise } from '../../money/index.ts';
import { endOfIstDay, startOfIstDay } from '../../platform/clock/ist.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Limits } from '../settings/index.ts';
import { limitExceeded } from './limit-exceeded.ts';
import { createGoldOrderStore } from '../orders/index.ts';

/**
 * Holds the gross amount of one buy against its limits.
 * @throws AppError LIMIT_EXCEEDED with the limit in `details`
 */
export const checkBuyAmount = (limits: Limits, amountPaise: Paise): void => {
  if (amountPaise < limits.minBuyPaise) throw limitExceeded('minBuyPaise', limits);
  if (amountPaise > limits.maxBuyPaise) throw limitExceeded('maxBuyPaise', limits);
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
  if (addPaise(bought, amountPaise) > limits.dailyBuyPaise)
    throw limitExceeded('dailyBuyPaise', limits);
};
