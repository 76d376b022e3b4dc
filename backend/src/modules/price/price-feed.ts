import type { Redis } from 'ioredis';
import { addMs, msBetween, type Clock } from '../../platform/clock/clock.ts';
import type { Timers } from '../../platform/clock/timers.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger, Metrics } from '../../platform/observability/index.ts';
import { withLock } from '../../platform/redis/index.ts';
import type { FetchPrice } from './live-price.ts';
import { findLastTick, hasTick, insertTick } from './price.store.ts';
import { markOf, tickEveryMs, type LivePrice, type PriceTick } from './price.types.ts';

/** A dead leader's lock expires within this, so that the next mark has a new leader. */
const leaderTtlMs = 5000;
const leaderRetryMs = 500;
/**
 * A leader campaigns again after this many marks: one that began to lead while the cache was down,
 * without a lock, comes back under the lock by this.
 */
const marksPerTerm = 60;
/** After this the tick is sent with the last price rather than late. */
const fetchDeadlineMs = 3000;

export interface PriceFeed {
  /** Starts to lead, or to wait for the lead, until stopped. */
  start(): void;
  stop(): Promise<void>;
}

interface PriceFeedOptions {
  readonly db: Db;
  readonly fetchPrice: FetchPrice;
  readonly broadcast: (tick: PriceTick) => void;
  readonly redis: Redis;
  /** Real time: the marks are the wall clock's. */
  readonly wall: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
  /** Nothing is counted without. */
  readonly metrics?: Pick<Metrics, 'observeTick'>;
}

/**
 * Sends one tick on every 10 s mark of the wall clock. A tick is a row that is unique by its mark.
 * Only the process that inserted it sends it, so the leader's lock merely saves work. A new leader
 * first sends the current mark if no process has.
 */
export const createPriceFeed = (options: PriceFeedOptions): PriceFeed => {
  const { db, wall, timers, random, logger } = options;
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();

  const priceInTime = async (signal: AbortSignal): Promise<LivePrice | undefined> => {
    const deadline = timers.sleep(fetchDeadlineMs, signal).then(() => undefined);
    const outcome = await Promise.race([options.fetchPrice(), deadline]);
    return outcome?.kind === 'done' ? outcome.value : undefined;
  };

  const insert = async (mark: Date, price: LivePrice): Promise<number | undefined> => {
    const seq = await insertTick(db, random.uuid(), mark, price);
    if (seq !== undefined || (await hasTick(db, mark))) return seq;
    // A neighbouring mark took the number at the same moment: the next number is free.
    return insertTick(db, random.uuid(), mark, price);
  };

  const tick = async (mark: Date): Promise<void> => {
    const done = new AbortController();
    const fresh = await priceInTime(done.signal).finally(() => done.abort());
    const price = fresh ?? (await findLastTick(db))?.price;
    if (price === undefined) {
      logger.warn('no price yet: the provider has never responded');
      return;
    }
    const seq = await insert(mark, price);
    if (seq === undefined) return;
    const stale = fresh === undefined;
    options.broadcast({ price, seq, stale });
    options.metrics?.observeTick({ lateMs: msBetween(mark, wall.now()), stale });
    if (stale) logger.warn({ seq }, 'the provider did not respond: stale tick');
  };

  const lead = async (lost: AbortSignal): Promise<void> => {
    const signal = AbortSignal.any([lost, stopping.signal]);
    const current = markOf(wall.now());
    if (!(await hasTick(db, current))) await tick(current);
    for (let served = 0; served < marksPerTerm && !signal.aborted; served += 1) {
      const next = addMs(markOf(wall.now()), tickEveryMs);
      await timers.sleep(msBetween(wall.now(), next), signal);
      // A timer may fire a hair early. The mark is what counts.
      if (!signal.aborted) await tick(markOf(addMs(wall.now(), 500)));
    }
  };

  const campaign = async (): Promise<void> => {
    const lock = { redis: options.redis, key: 'price-feed', ttlMs: leaderTtlMs } as const;
    while (!stopping.signal.aborted) {
      try {
        await withLock({ ...lock, whenDown: 'run' }, lead);
      } catch (error) {
        logger.error({ err: error }, 'the price feed failed and restarts');
      }
      const retryMs = leaderRetryMs + random.int(leaderRetryMs);
      await timers.sleep(retryMs, stopping.signal);
    }
  };

  return {
    start() {
      running = campaign();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
};
