import type { Bps, Paise } from '../../money/index.ts';
import { msBetween, type Clock } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';
import type { Timers } from '../../platform/clock/timers.ts';
import type { Db } from '../../platform/db/index.ts';
import { gstRateBpsOn } from '../statutory/index.ts';
import type { LivePriceReader } from '../price/index.ts';
import type { ProductRates } from './catalogue.types.ts';

/** Limits the wait of customers for a price that is not cached, since stored prices exist. */
export const customerPatienceMs = 300;
/** For this real time after a failed wait, no request waits for a price. */
const pauseMs = 1000;

export interface RatesDeps {
  readonly db: Db;
  readonly live: Pick<LivePriceReader, 'priceAtHand' | 'livePrice'>;
  readonly clock: Clock;
  /** The clock of real time. */
  readonly wall: Clock;
  readonly timers: Timers;
  /** The real time to wait for a price that is not cached. The default is a customer's. */
  readonly patienceMs?: number;
}

/**
 * Creates the reader of the live price of 24 karat. It returns undefined if there is none in time.
 * After that it returns undefined at once for a while, so that customers do not wait for a feed that
 * does not respond.
 */
const createLiveRate = ({
  live,
  wall,
  timers,
  patienceMs = customerPatienceMs,
}: RatesDeps): (() => Promise<Paise | undefined>) => {
  let failedAt: Date | undefined;
  let waiting: Promise<Paise | undefined> | undefined;

  const waitForPrice = async (): Promise<Paise | undefined> => {
    const waitEnd = new AbortController();
    const timeout = timers.sleep(patienceMs, waitEnd.signal).then(() => undefined);
    const reading = live.livePrice().catch(() => undefined);
    const price = await Promise.race([reading, timeout]);
    waitEnd.abort();
    if (price === undefined) failedAt = wall.now();
    return price?.buyPaise;
  };

  return async () => {
    const cached = live.priceAtHand();
    if (cached !== undefined) return cached.buyPaise;
    if (failedAt !== undefined && Math.abs(msBetween(failedAt, wall.now())) < pauseMs) {
      return undefined;
    }
    waiting ??= waitForPrice().finally(() => {
      waiting = undefined;
    });
    return waiting;
  };
};

/** Caches the GST rate for this real time. A rate that is added for today applies after it. */
const gstLifeMs = 5000;

/** Creates the reader of the GST rate, which it caches for one IST day at most. */
const createGstRate = ({ db, clock, wall }: RatesDeps): (() => Promise<Bps>) => {
  let cached:
    | { readonly day: string; readonly readAt: Date; readonly rate: Promise<Bps> }
    | undefined;
  return async () => {
    const [now, readAt] = [clock.now(), wall.now()];
    const day = istDate(now);
    if (cached?.day !== day || Math.abs(msBetween(cached.readAt, readAt)) >= gstLifeMs) {
      cached = { day, readAt, rate: gstRateBpsOn(db, now) };
    }
    const current = cached;
    try {
      return await current.rate;
    } catch (error) {
      if (cached === current) cached = undefined;
      throw error;
    }
  };
};

/** Creates the reader of the rates of the catalogue. It does not fail if the price feed fails. */
export const createReadRates = (deps: RatesDeps): (() => Promise<ProductRates>) => {
  const [liveRate, gstRate] = [createLiveRate(deps), createGstRate(deps)];
  return async () => {
    const [rate24KPaise, gstBps] = await Promise.all([liveRate(), gstRate()]);
    return { rate24KPaise, gstBps };
  };
};
