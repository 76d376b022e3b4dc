import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { execute, selectOne, sql, type Db } from '../../platform/db/index.ts';
import type { Sweep } from '../../platform/jobs/sweep.ts';
import type { Metrics } from '../../platform/observability/index.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** The time in ms for which every tick is stored. */
const retentionMs = 90 * dayMs;

/** A range of whole minutes, with an exclusive end. */
interface MinuteRange {
  readonly from: Date;
  readonly to: Date;
}

const startOfMinute = (at: Date): Date => addMs(at, -(at.getTime() % minuteMs));

/** Returns the minute of the oldest price of the provider. */
const findFirstMinute = async (db: Db): Promise<Date | undefined> => {
  const row = await selectOne<{ at: Date }>(
    db,
    sql`
      SELECT as_of AS at FROM price_snapshot WHERE source = 'PROVIDER' ORDER BY as_of LIMIT 1`,
  );
  return row === undefined ? undefined : startOfMinute(row.at);
};

/**
 * Deletes the prices of a range except the last price of each minute, and returns their number. It
 * keeps prices that operators recorded, and prices at whose rates orders were verified. An order may
 * be verified up to two months after it was placed, if an operator allocates it after a review.
 */
const thinOut = (db: Db, { from, to }: MinuteRange): Promise<number> =>
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
  /** The clock of real time, by which ticks are dated. */
  readonly wall: Clock;
  readonly metrics: Pick<Metrics, 'countPurged'>;
  readonly everyMs: number;
}

/**
 * Creates the sweep that thins out prices older than 90 days to one per minute, a sixth of the rows
 * (contract: limits > Retention). A history of a year needs only one price in 105 minutes. The sweep
 * handles one day per statement. It continues where the last pass stopped, and begins with the oldest
 * price again when the process starts.
 */
export const createPriceThinning = ({ db, wall, metrics, everyMs }: ThinningOptions): Sweep => {
  const name = 'price-thin-history';
  let thinnedTo: Date | undefined;
  return {
    name,
    everyMs,
    async run(signal) {
      const end = startOfMinute(addMs(wall.now(), -retentionMs));
      thinnedTo ??= await findFirstMinute(db);
      while (thinnedTo !== undefined && thinnedTo < end && !signal.aborted) {
        const nextDay = addMs(thinnedTo, dayMs);
        const to = nextDay < end ? nextDay : end;
        const count = await thinOut(db, { from: thinnedTo, to });
        if (count > 0) metrics.countPurged(name, count);
        thinnedTo = to;
      }
    },
  };
};
