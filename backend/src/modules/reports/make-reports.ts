import { valueOf } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { isAppError } from '../../platform/errors/app-error.ts';
import type { LivePrice, LivePriceReader } from '../price/index.ts';
import { countNewUsers, readGmv, sumOfLast } from './days.read-model.ts';
import { readOpenWork, readTotals } from './totals.read-model.ts';

export interface ReportsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly price: Pick<LivePriceReader, 'livePrice'>;
}

/** Returns the live price, or undefined while nobody can say it: figures in grams stay. */
const priceIfAny = async ({ price }: ReportsDeps): Promise<LivePrice | undefined> => {
  try {
    return await price.livePrice();
  } catch (error) {
    if (isAppError(error, 'PRICE_UNAVAILABLE')) return undefined;
    throw error;
  }
};

/** The days of the longest sum in the overview. */
const longestDays = 30;

/** Makes the overview of the dashboard (contract: operators > Dashboard). */
export const makeOverview = async (deps: ReportsDeps) => {
  const { db, clock } = deps;
  const now = clock.now();
  const live = await priceIfAny(deps);
  const totals = await readTotals(db);
  const open = await readOpenWork(db);
  const gmv = await readGmv(db, now, longestDays);
  return {
    totals,
    open,
    new24h: await countNewUsers(db, now),
    gmv: {
      today: sumOfLast(gmv, 1),
      last7d: sumOfLast(gmv, 7),
      last30d: sumOfLast(gmv, longestDays),
    },
    live,
    valuePaise: live && valueOf(totals.grams, live.sellPaise),
  };
};
export type Overview = Awaited<ReturnType<typeof makeOverview>>;

/** Makes the snapshot of what is held for customers (contract: operators > Reports). */
export const makeAum = async (deps: ReportsDeps) => {
  const live = await priceIfAny(deps);
  const asOf = deps.clock.now();
  const totals = await readTotals(deps.db);
  return { asOf, totals, live, valuePaise: live && valueOf(totals.grams, live.sellPaise) };
};
export type Aum = Awaited<ReturnType<typeof makeAum>>;
