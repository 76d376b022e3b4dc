import { paise, toSafePaise } from '../../money/index.ts';
import { addMs, msBetween, type Clock } from '../../platform/clock/clock.ts';
import { batchReads, selectRows, sql, type Db } from '../../platform/db/index.ts';
import { shared, type Reply } from '../../platform/http/index.ts';
import type { Metrics } from '../../platform/observability/index.ts';
import type { PriceRange } from './price.schemas.ts';
import { findLastSeq } from './price.store.ts';
import { tickEveryMs } from './price.types.ts';

const dayMs = 24 * 60 * 60_000;
const rangeMs: Readonly<Record<PriceRange, number>> = {
  '1d': dayMs,
  '1w': 7 * dayMs,
  '1m': 30 * dayMs,
  '1y': 365 * dayMs,
};

/** The maximum number of rows of one response. */
const maxHistoryRows = 5000;

interface HistoryRow {
  readonly buy_paise: bigint;
  readonly sell_paise: bigint;
  readonly spot_paise: bigint;
  readonly as_of: Date;
}

/**
 * Returns the last price of each of `buckets` equal parts of a range, newest first. The index finds
 * each row, so the cost depends on the size of the response and not of the table.
 */
export const selectHistory = (
  db: Db,
  from: Date,
  stepMs: number,
  buckets: number,
): Promise<HistoryRow[]> =>
  selectRows<HistoryRow>(
    db,
    sql`
      SELECT p.buy_paise, p.sell_paise, p.spot_paise, p.as_of
      FROM (
        SELECT n, ${stepMs}::int * interval '1 millisecond' AS step
        FROM generate_series(0, ${buckets - 1}::int) AS n
      ) AS bucket
      CROSS JOIN LATERAL (
        SELECT buy_paise, sell_paise, spot_paise, as_of FROM price_snapshot
        WHERE source = 'PROVIDER'
          AND as_of > ${from}::timestamptz + bucket.n * bucket.step
          AND as_of <= ${from}::timestamptz + (bucket.n + 1) * bucket.step
        ORDER BY as_of DESC LIMIT 1
      ) AS p
      ORDER BY p.as_of DESC`,
  );

/** Returns the prices of a range that ends at `now`, newest first, at even intervals. */
const readPriceHistory = async (db: Db, range: PriceRange, now: Date) => {
  const spanMs = rangeMs[range];
  const stepMs = Math.max(tickEveryMs, Math.ceil(spanMs / maxHistoryRows));
  const rows = await selectHistory(db, addMs(now, -spanMs), stepMs, Math.ceil(spanMs / stepMs));
  return rows.map((row) => ({
    buyPaise: toSafePaise(paise(row.buy_paise)),
    sellPaise: toSafePaise(paise(row.sell_paise)),
    spotPaise: toSafePaise(paise(row.spot_paise)),
    at: row.as_of.toISOString(),
  }));
};

/** The time in ms after which a history is read again even without a new tick. */
const historyLifeMs = 2 * tickEveryMs;

/** The response for a range, with the tick and the time for which it was read. */
interface CachedHistory {
  readonly seq: number;
  readonly at: Date;
  readonly reply: Promise<Reply>;
}

/**
 * Creates the function that returns the response for a range. A history is read and serialised only
 * once for each tick of the feed. Other requests only look up the number of the last tick, and
 * concurrent requests share that lookup.
 */
export const createHistoryReplies = (options: {
  readonly db: Db;
  readonly wall: Clock;
  readonly metrics?: Pick<Metrics, 'countHistory'>;
}): ((range: PriceRange) => Promise<Reply>) => {
  const { db, wall, metrics } = options;
  const lastSeq = batchReads(() => findLastSeq(db));
  const histories = new Map<PriceRange, CachedHistory>();

  const buildReply = async (range: PriceRange, at: Date): Promise<Reply> => {
    metrics?.countHistory(range);
    return shared({ range, items: await readPriceHistory(db, range, at) });
  };

  return async (range) => {
    const seq = await lastSeq();
    const at = wall.now();
    const cached = histories.get(range);
    if (cached?.seq === seq && Math.abs(msBetween(cached.at, at)) < historyLifeMs) {
      return cached.reply;
    }
    const history: CachedHistory = { seq, at, reply: buildReply(range, at) };
    histories.set(range, history);
    try {
      return await history.reply;
    } catch (error) {
      // A failed history is not cached, so that the next request reads it again.
      if (histories.get(range) === history) histories.delete(range);
      throw error;
    }
  };
};
