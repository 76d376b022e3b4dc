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

/** Bounds the rows of one response. */
const maxHistoryRows = 5000;

interface HistoryRow {
  readonly buy_paise: bigint;
  readonly sell_paise: bigint;
  readonly spot_paise: bigint;
  readonly as_of: Date;
}

/**
 * Returns at most `buckets` rows that span the whole range: the last price of each of `buckets`
 * equal parts, each found by the index, so that the cost follows the response and not the table.
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

/** Returns the prices of a range that ends at `now`, newest first, thinned evenly. */
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

/** A history without a new tick for this long is built again, since its range moves on. */
const madeForMs = 2 * tickEveryMs;

interface MadeHistory {
  readonly seq: number;
  readonly at: Date;
  readonly reply: Promise<Reply>;
}

/**
 * Returns the response to a request of a range. It is read and serialised once for each tick of the
 * feed, however many requests come: each of them only looks up the last tick, and concurrent ones
 * share that lookup.
 */
export const createHistoryReplies = (options: {
  readonly db: Db;
  readonly wall: Clock;
  readonly metrics?: Pick<Metrics, 'countHistory'>;
}): ((range: PriceRange) => Promise<Reply>) => {
  const { db, wall, metrics } = options;
  const lastSeq = batchReads(() => findLastSeq(db));
  const made = new Map<PriceRange, MadeHistory>();

  const make = async (range: PriceRange, at: Date): Promise<Reply> => {
    metrics?.countHistory(range);
    return shared({ range, items: await readPriceHistory(db, range, at) });
  };

  return async (range) => {
    const seq = await lastSeq();
    const at = wall.now();
    const known = made.get(range);
    if (known?.seq === seq && Math.abs(msBetween(known.at, at)) < madeForMs) return known.reply;
    const history: MadeHistory = { seq, at, reply: make(range, at) };
    made.set(range, history);
    try {
      return await history.reply;
    } catch (error) {
      // The next request tries again.
      if (made.get(range) === history) made.delete(range);
      throw error;
    }
  };
};
