import { bps, paise } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { LivePrice, Spreads } from './price.types.ts';

const configRow = 1;

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

export interface HistoryRow {
  readonly buy_paise: bigint;
  readonly sell_paise: bigint;
  readonly spot_paise: bigint;
  readonly as_of: Date;
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

/** The rows of `price_snapshot` and `price_config`. */
export const createPriceStore = (db: Db) => ({
  /**
   * The tick of `mark`, numbered one above the row before; undefined when another process has
   * inserted it, or a neighbour took the number at this very moment.
   */
  async insertTick(id: string, mark: Date, price: LivePrice): Promise<number | undefined> {
    const rows = await db.$queryRaw<{ seq: bigint }[]>`
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
      RETURNING seq`;
    const [row] = rows;
    return row === undefined ? undefined : parseInt(String(row.seq), 10);
  },

  async hasTick(mark: Date): Promise<boolean> {
    return (await db.priceSnapshot.findUnique({ where: { mark }, select: { id: true } })) !== null;
  },

  async lastTick(): Promise<{ price: LivePrice; seq: number; mark: Date } | undefined> {
    const rows = await db.$queryRaw<TickRow[]>`
      SELECT mark, seq, buy_paise, sell_paise, spot_paise, provider_buy_paise,
        provider_sell_paise, buy_tax_bps, buy_rate_id, sell_rate_id, buy_rate_valid_until, as_of
      FROM price_snapshot WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1`;
    const [row] = rows;
    if (row === undefined) return undefined;
    return { price: toPrice(row), seq: parseInt(String(row.seq), 10), mark: row.mark };
  },

  /**
   * At most `buckets` rows that span the whole range: the last price of each of `buckets` equal
   * parts, each found by the index, so that the cost follows the answer and not the table.
   */
  async history(from: Date, stepMs: number, buckets: number): Promise<HistoryRow[]> {
    return db.$queryRaw<HistoryRow[]>`
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
      ORDER BY p.as_of DESC`;
  },

  async spreads(): Promise<Spreads> {
    const row = await db.priceConfig.findUnique({ where: { id: configRow } });
    return { buySpreadBps: row?.buySpreadBps ?? 0, sellSpreadBps: row?.sellSpreadBps ?? 0 };
  },

  /** Locks the spreads until the transaction ends, so that what is read next is replaced. */
  async lockSpreads(): Promise<void> {
    await db.$queryRaw`SELECT id FROM price_config WHERE id = ${configRow} FOR UPDATE`;
  },

  async setSpreads(spreads: Spreads, updatedBy: string, updatedAt: Date): Promise<void> {
    const data = { ...spreads, updatedBy, updatedAt };
    await db.priceConfig.upsert({
      where: { id: configRow },
      create: { id: configRow, ...data },
      update: data,
    });
  },
});

export type PriceStore = ReturnType<typeof createPriceStore>;
