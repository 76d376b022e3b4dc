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

/** The time in ms after which the lock of a dead leader expires, so that the next mark has a leader. */
const leaderTtlMs = 5000;
const leaderRetryMs = 500;
/**
 * The number of marks after which a leader acquires the lock again. A leader that began without a
 * lock, because Redis was down, is then under the lock again.
 */
const marksPerTerm = 60;
/** The time in ms after which a tick is sent with the last price instead of a fetched price. */
const fetchDeadlineMs = 3000;

export interface PriceFeed {
  /** Starts to lead, or to wait until no other process leads. */
  start(): void;
  stop(): Promise<void>;
}

interface PriceFeedOptions {
  readonly db: Db;
  readonly fetchPrice: FetchPrice;
  readonly broadcast: (tick: PriceTick) => void;
  readonly redis: Redis;
  /** The clock of real time, to which the marks belong. */
  readonly wall: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly logger: Logger;
  /** Observes ticks. If it is absent, nothing is counted. */
  readonly metrics?: Pick<Metrics, 'observeTick'>;
}

/**
 * Creates the feed, which sends one tick on every 10 s mark of the wall clock. Each mark has at most
 * one row, and only the process that inserted the row sends the tick. The leader's lock therefore
 * only saves work. A new leader first sends the tick of the current mark, unless it was sent already.
 */
export const createPriceFeed = (options: PriceFeedOptions): PriceFeed => {
  const { db, wall, timers, random, logger } = options;
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();

  const fetchBeforeDeadline = async (signal: AbortSignal): Promise<LivePrice | undefined> => {
    const deadline = timers.sleep(fetchDeadlineMs, signal).then(() => undefined);
    const outcome = await Promise.race([options.fetchPrice(), deadline]);
    return outcome?.kind === 'done' ? outcome.value : undefined;
  };

  const insert = async (mark: Date, price: LivePrice): Promise<number | undefined> => {
    const seq = await insertTick(db, random.uuid(), mark, price);
    if (seq !== undefined || (await hasTick(db, mark))) return seq;
    // The tick of another mark took the same number concurrently, so the next number is free.
    return insertTick(db, random.uuid(), mark, price);
  };

  const tick = async (mark: Date): Promise<void> => {
    const done = new AbortController();
    const fetchedPrice = await fetchBeforeDeadline(done.signal).finally(() => done.abort());
    const price = fetchedPrice ?? (await findLastTick(db))?.price;
    if (price === undefined) {
      logger.warn('no price yet: the provider has never responded');
      return;
    }
    const seq = await insert(mark, price);
    if (seq === undefined) return;
    const stale = fetchedPrice === undefined;
    options.broadcast({ price, seq, stale });
    options.metrics?.observeTick({ lateMs: msBetween(mark, wall.now()), stale });
    if (stale) logger.warn({ seq }, 'the provider did not respond: stale tick');
  };

  const lead = async (lost: AbortSignal): Promise<void> => {
    const signal = AbortSignal.any([lost, stopping.signal]);
    const current = markOf(wall.now());
    if (!(await hasTick(db, current))) await tick(current);
    for (let marks = 0; marks < marksPerTerm && !signal.aborted; marks += 1) {
      const next = addMs(markOf(wall.now()), tickEveryMs);
      await timers.sleep(msBetween(wall.now(), next), signal);
      // A timer may fire slightly too early, so the time is moved past the mark.
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
