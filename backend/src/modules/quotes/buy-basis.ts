import { readTogether, type Db, type ReadValues } from '../../platform/db/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { readTrader } from '../kyc/index.ts';
import { readSettingVersions } from '../settings/index.ts';
import { readGstRateBps } from '../statutory/index.ts';
import { readDailyBuys } from './quotes.rules.ts';

/**
 * Returns the reads of the data that the checks of a purchase need: the customer's right to trade,
 * the purchases of the day, the tax rate and the versions of the settings. The data that other
 * requests may change is read again under the holding's lock.
 */
export const readBuyBasis = (clock: Clock, userId: string) => {
  const now = clock.now();
  return {
    ...readTrader(userId),
    boughtPaise: readDailyBuys(userId, now),
    gstRateBps: readGstRateBps(now),
    versions: readSettingVersions,
  };
};

export type BuyBasis = ReadValues<ReturnType<typeof readBuyBasis>>;

/** Reads the basis of a purchase in one statement, for a request that has no idempotency key. */
export const findBuyBasis = (
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  userId: string,
): Promise<BuyBasis> => readTogether(db, readBuyBasis(clock, userId));
