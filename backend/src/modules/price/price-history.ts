import { paise, toSafePaise } from '../../money/index.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { selectRows, sql, type Db } from '../../platform/db/index.ts';
import type { PriceRange } from './price.schemas.ts';
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
export const readPriceHistory = async (db: Db, range: PriceRange, now: Date) => {
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
