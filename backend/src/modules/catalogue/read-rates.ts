import type { Bps, Paise } from '../../money/index.ts';
import { msBetween, type Clock } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';
import type { Timers } from '../../platform/clock/timers.ts';
import type { Db } from '../../platform/db/index.ts';
import { gstRateBpsOn } from '../statutory/index.ts';
import type { LivePriceReader } from '../price/index.ts';
import type { ProductRates } from './catalogue.types.ts';

/** Customers wait no longer for a price that is not at hand: there are stored ones. */
export const customerPatienceMs = 300;
/** The real time after a failed price during which no request waits for one again. */
const pauseMs = 1000;

export interface RatesDeps {
  readonly db: Db;
  readonly live: Pick<LivePriceReader, 'priceAtHand' | 'livePrice'>;
  readonly clock: Clock;
  /** Real time. */
  readonly wall: Clock;
  readonly timers: Timers;
  /** The real time to wait for a price that is not cached. The default is a customer's. */
  readonly patienceMs?: number;
}

/**
 * Creates the reader of the live price of 24 karat, which never makes a customer wait for a silent
 * feed: undefined comes at once from a replica that has just waited in vain.
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
    const done = new AbortController();
    const late = timers.sleep(patienceMs, done.signal).then(() => undefined);
    const price = live.livePrice().catch(() => undefined);
    const came = await Promise.race([price, late]);
    done.abort();
    if (came === undefined) failedAt = wall.now();
    return came?.buyPaise;
  };

  return async () => {
    const atHand = live.priceAtHand();
    if (atHand !== undefined) return atHand.buyPaise;
    if (failedAt !== undefined && Math.abs(msBetween(failedAt, wall.now())) < pauseMs) {
      return undefined;
    }
    waiting ??= waitForPrice().finally(() => {
      waiting = undefined;
    });
    return waiting;
  };
};

/** A tax rate that was just added for today shows after this long, in real time. */
const gstLifeMs = 5000;

/** Creates the reader of the GST rate, which is looked up again for each day. */
const createGstRate = ({ db, clock, wall }: RatesDeps): (() => Promise<Bps>) => {
  let last:
    | { readonly day: string; readonly readAt: Date; readonly rate: Promise<Bps> }
    | undefined;
  return async () => {
    const [now, readAt] = [clock.now(), wall.now()];
    const day = istDate(now);
    if (last?.day !== day || Math.abs(msBetween(last.readAt, readAt)) >= gstLifeMs) {
      last = { day, readAt, rate: gstRateBpsOn(db, now) };
    }
    const current = last;
    try {
      return await current.rate;
    } catch (error) {
      if (last === current) last = undefined;
      throw error;
    }
  };
};

/** Creates the reader of the rates by which the catalogue prices. It never fails for the feed. */
export const createReadRates = (deps: RatesDeps): (() => Promise<ProductRates>) => {
  const [liveRate, gstRate] = [createLiveRate(deps), createGstRate(deps)];
  return async () => {
    const [rate24KPaise, gstBps] = await Promise.all([liveRate(), gstRate()]);
    return { rate24KPaise, gstBps };
  };
};
