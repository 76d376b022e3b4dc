import { readTogether, type Db, type ReadValues } from '../../platform/db/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { readTrader } from '../kyc/index.ts';
import { readSettingVersions } from '../settings/index.ts';
import { readGstRateBps } from '../statutory/index.ts';
import { readDaysBuys } from './quotes.rules.ts';

/**
 * Reads what a buy begins with: whether the customer may buy, what was bought on this day, the rate
 * of the tax and the versions of the settings. Each is an early answer, and those that another
 * request may change are read again under the holding's lock.
 */
export const readBuyBasis = (clock: Clock, userId: string) => {
  const now = clock.now();
  return {
    ...readTrader(userId),
    bought: readDaysBuys(userId, now),
    gstRateBps: readGstRateBps(now),
    versions: readSettingVersions,
  };
};

export type BuyBasis = ReadValues<ReturnType<typeof readBuyBasis>>;

/** Returns it for a quote that is made by itself. */
export const findBuyBasis = (
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  userId: string,
): Promise<BuyBasis> => readTogether(db, readBuyBasis(clock, userId));
