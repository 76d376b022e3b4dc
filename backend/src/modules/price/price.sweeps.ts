import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { execute, selectOne, sql, type Db } from '../../platform/db/index.ts';
import type { Sweep } from '../../platform/jobs/sweep.ts';
import type { Metrics } from '../../platform/observability/index.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Every tick is kept for so long. */
const keptMs = 90 * dayMs;

/** A stretch of time, its end exclusive, in whole minutes. */
interface Stretch {
  readonly from: Date;
  readonly to: Date;
}

const startOfMinute = (at: Date): Date => addMs(at, -(at.getTime() % minuteMs));

/** Returns the minute of the first price that the provider gave. */
const findFirstMinute = async (db: Db): Promise<Date | undefined> => {
  const row = await selectOne<{ at: Date }>(
    db,
    sql`
      SELECT as_of AS at FROM price_snapshot WHERE source = 'PROVIDER' ORDER BY as_of LIMIT 1`,
  );
  return row === undefined ? undefined : startOfMinute(row.at);
};

/**
 * Deletes all prices of a stretch but the last one of each minute, and returns how many. What an
 * operator set stays, and so does a price at whose rate an order was verified: at the latest within
 * two months of being placed, where an operator allocates it after a review.
 */
const thin = (db: Db, { from, to }: Stretch): Promise<number> =>
  execute(
    db,
    sql`
      DELETE FROM price_snapshot WHERE id IN (
        SELECT placed.id FROM (
          SELECT id, buy_rate_id, sell_rate_id, row_number() OVER (
            PARTITION BY date_trunc('minute', as_of) ORDER BY as_of DESC, seq DESC NULLS LAST, id
          ) AS place
          FROM price_snapshot
          WHERE source = 'PROVIDER' AND as_of >= ${from}::timestamptz AND as_of < ${to}::timestamptz
        ) AS placed
        WHERE placed.place > 1 AND NOT EXISTS (
          SELECT FROM gold_order o
          WHERE o.created_at >= ${from}::timestamptz - interval '60 days'
            AND o.created_at < ${to}::timestamptz + interval '1 day'
            AND o.provider_rate_id IN (placed.buy_rate_id, placed.sell_rate_id)))`,
  );

interface ThinningOptions {
  readonly db: Db;
  /** Ticks are of real time. */
  readonly wall: Clock;
  readonly metrics: Pick<Metrics, 'countPurged'>;
  readonly everyMs: number;
}

/**
 * Creates the sweep that keeps one price a minute of those older than 90 days (contract: limits >
 * Retention), a sixth of the rows. Histories of a year show one in 105 minutes. It continues where
 * it stopped, a day in a statement, and starts again with the process.
 */
export const createPriceThinning = ({ db, wall, metrics, everyMs }: ThinningOptions): Sweep => {
  const name = 'price-thin-history';
  let thinnedTo: Date | undefined;
  return {
    name,
    everyMs,
    async run(signal) {
      const end = startOfMinute(addMs(wall.now(), -keptMs));
      thinnedTo ??= await findFirstMinute(db);
      while (thinnedTo !== undefined && thinnedTo < end && !signal.aborted) {
        const nextDay = addMs(thinnedTo, dayMs);
        const to = nextDay < end ? nextDay : end;
        const count = await thin(db, { from: thinnedTo, to });
        if (count > 0) metrics.countPurged(name, count);
        thinnedTo = to;
      }
    },
  };
};
