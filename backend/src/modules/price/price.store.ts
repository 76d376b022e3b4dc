import { bps, paise, type Paise } from '../../money/index.ts';
import { selectOne, sql, type Db } from '../../platform/db/index.ts';
import type { LivePrice } from './price.types.ts';

/* The table `price_snapshot` holds the ticks of the feed and the prices that operators recorded. */

interface TickRow {
  readonly mark: Date;
  readonly seq: bigint;
  readonly buy_paise: bigint;
  readonly sell_paise: bigint;
  readonly spot_paise: bigint;
  readonly provider_buy_paise: bigint;
  readonly provider_sell_paise: bigint;
  readonly buy_tax_bps: number;
  readonly buy_rate_id: string;
  readonly sell_rate_id: string;
  readonly buy_rate_valid_until: Date;
  readonly as_of: Date;
}

export interface Tick {
  readonly price: LivePrice;
  readonly seq: number;
  readonly mark: Date;
}

const toPrice = (row: TickRow): LivePrice => ({
  buyPaise: paise(row.buy_paise),
  sellPaise: paise(row.sell_paise),
  spotPaise: paise(row.spot_paise),
  providerBuyPaise: paise(row.provider_buy_paise),
  providerSellPaise: paise(row.provider_sell_paise),
  providerTaxBps: bps(BigInt(row.buy_tax_bps)),
  buyRateId: row.buy_rate_id,
  sellRateId: row.sell_rate_id,
  ratesValidUntil: row.buy_rate_valid_until,
  source: 'PROVIDER',
  asOf: row.as_of,
});

/**
 * Inserts the tick of `mark` with the next number, and returns the number. Returns undefined if
 * another process has inserted the tick of this mark, or has concurrently used the same number.
 */
export const insertTick = async (
  db: Db,
  id: string,
  mark: Date,
  price: LivePrice,
): Promise<number | undefined> => {
  const row = await selectOne<{ seq: bigint }>(
    db,
    sql`
      INSERT INTO price_snapshot (id, mark, seq, source, buy_paise, sell_paise, spot_paise,
        provider_buy_paise, provider_sell_paise, buy_tax_bps, buy_rate_id, buy_rate_valid_until,
        sell_rate_id, sell_rate_valid_until, as_of, created_at)
      SELECT ${id}::uuid, ${mark}::timestamptz, coalesce(max(seq), 0) + 1, 'PROVIDER',
        ${price.buyPaise}::bigint, ${price.sellPaise}::bigint, ${price.spotPaise}::bigint,
        ${price.providerBuyPaise}::bigint, ${price.providerSellPaise}::bigint,
        ${price.providerTaxBps}::int, ${price.buyRateId}, ${price.ratesValidUntil}::timestamptz,
        ${price.sellRateId}, ${price.ratesValidUntil}::timestamptz, ${price.asOf}::timestamptz,
        now()
      FROM price_snapshot
      ON CONFLICT DO NOTHING
      RETURNING seq`,
  );
  return row === undefined ? undefined : parseInt(String(row.seq), 10);
};

/** Inserts an operator's price. It is not a tick, so it has neither a mark nor a number. */
export const insertManualPrice = async (
  db: Db,
  price: {
    readonly id: string;
    readonly buyPaise: Paise;
    readonly sellPaise: Paise;
    readonly spotPaise: Paise;
    readonly actorId: string;
    readonly at: Date;
  },
): Promise<void> => {
  const { at, ...data } = price;
  await db.priceSnapshot.create({
    data: { ...data, source: 'MANUAL', asOf: at, createdAt: at },
    select: { id: true },
  });
};

export const hasTick = async (db: Db, mark: Date): Promise<boolean> =>
  (await db.priceSnapshot.findUnique({ where: { mark }, select: { id: true } })) !== null;

/**
 * Returns the number of the newest tick, or 0 if there is none. The query is raw SQL, because every
 * request for a history reads it.
 */
export const findLastSeq = async (db: Db): Promise<number> => {
  const row = await selectOne<{ seq: bigint | null }>(
    db,
    sql`SELECT max(seq) AS seq FROM price_snapshot`,
  );
  return parseInt(String(row?.seq ?? 0), 10);
};

/** Returns the newest tick. The query is raw SQL, because every socket that connects reads it. */
export const findLastTick = async (db: Db): Promise<Tick | undefined> => {
  const row = await selectOne<TickRow>(
    db,
    sql`
      SELECT mark, seq, buy_paise, sell_paise, spot_paise, provider_buy_paise,
        provider_sell_paise, buy_tax_bps, buy_rate_id, sell_rate_id, buy_rate_valid_until, as_of
      FROM price_snapshot WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1`,
  );
  if (row === undefined) return undefined;
  return { price: toPrice(row), seq: parseInt(String(row.seq), 10), mark: row.mark };
};
