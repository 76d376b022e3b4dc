import { formatRupees, toSafePaise } from '../../money/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { LimitName, Limits } from '../settings/index.ts';

const words: Readonly<Partial<Record<LimitName, string>>> = {
  minBuyPaise: 'A buy is at least',
  maxBuyPaise: 'A buy is at most',
  dailyBuyPaise: 'The buys of a day come to at most',
  minSellPaise: 'A sell is at least',
  maxSellPaise: 'A sell is at most',
};

/** LIMIT_EXCEEDED, with the limit in `details` (decisions, section 4). */
export const limitExceeded = (limit: LimitName, limits: Limits): AppError =>
  new AppError('LIMIT_EXCEEDED', {
    message: `${words[limit] ?? limit} INR ${formatRupees(limits[limit])}.`,
    field: 'amount',
    details: { limit, limitPaise: toSafePaise(limits[limit]) },
  });
