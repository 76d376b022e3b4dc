import { bps, type Bps } from '../../money/index.ts';
import { istDate, startOfIstDate } from '../../platform/clock/ist.ts';
import { readAlone, readOf, selectOne, sql, type Db, type Read } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';

/** The rate of 3 %, which applies until a row has another one. */
const defaultGstRateBps = 300n;

/**
 * Reads the GST rate in force on the IST date of `at`, in basis points. It is the statutory parameter
 * `gst_rate_bps`. This read is raw SQL, since every quote and every purchase makes it.
 */
export const readGstRateBps = (at: Date): Read<Bps> =>
  readOf(
    sql`
      SELECT value FROM statutory_parameter
      WHERE key = 'gst_rate_bps' AND effective_from <= ${istDate(at)}::date
      ORDER BY effective_from DESC LIMIT 1`,
    (row: { readonly value: string } | undefined) => {
      if (row === undefined) return bps(defaultGstRateBps);
      if (/^\d{1,5}$/u.test(row.value)) return bps(BigInt(row.value));
      throw new Error('gst_rate_bps is not a rate in basis points');
    },
  );

/** Returns the GST rate in force on the IST date of `at`. */
export const gstRateBpsOn = (db: Db, at: Date): Promise<Bps> => readAlone(db, readGstRateBps(at));

/** The value of a parameter from a date on. `effectiveFrom` is an IST date at midnight UTC. */
export interface StatutoryRow {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly effectiveFrom: Date;
  readonly note: string | null;
  readonly createdBy: string | null;
  readonly createdAt: Date;
}

/* The rows of `statutory_parameter` are inserted once and never changed. */

interface StatutoryFilter {
  readonly key?: string | undefined;
  /** Rows recorded at `from` or later match, and before `until`. A missing bound is open. */
  readonly from?: Date | undefined;
  readonly until?: Date | undefined;
}

/** Returns a page of rows, by key and then newest date first, and the number of all rows. */
export const listStatutory = async (db: Db, { key, from, until }: StatutoryFilter, page: Page) => {
  const where = {
    ...(key !== undefined && { key }),
    createdAt: {
      ...(from !== undefined && { gte: from }),
      ...(until !== undefined && { lt: until }),
    },
  };
  const [rows, total] = await Promise.all([
    db.statutoryParameter.findMany({
      where,
      orderBy: [{ key: 'asc' }, { effectiveFrom: 'desc' }],
      skip: offsetOf(page),
      take: page.limit,
    }),
    db.statutoryParameter.count({ where }),
  ]);
  return { rows, total };
};

/** Returns the row of a key that is in force on an IST date. */
export const findStatutoryOn = async (
  db: Db,
  key: string,
  date: string,
): Promise<StatutoryRow | undefined> => {
  const row = await db.statutoryParameter.findFirst({
    where: { key, effectiveFrom: { lte: new Date(date) } },
    orderBy: { effectiveFrom: 'desc' },
  });
  return row ?? undefined;
};

export const insertStatutory = async (db: Db, row: StatutoryRow): Promise<void> => {
  await db.statutoryParameter.create({ data: row });
};

/** Returns true if GST was charged or quoted on the IST date `date` or later. */
export const hasChargedGstSince = async (db: Db, date: string): Promise<boolean> => {
  const from = sql`${startOfIstDate(date)}::timestamptz`;
  const row = await selectOne<{ charged: boolean }>(
    db,
    sql`
      SELECT EXISTS (SELECT FROM gold_order
          WHERE created_at >= ${from} AND type <> 'SELL' AND gst_paise IS NOT NULL)
        OR EXISTS (SELECT FROM holding_movement WHERE at >= ${from} AND kind = 'CREDIT')
        OR EXISTS (SELECT FROM product_order WHERE created_at >= ${from})
        OR EXISTS (SELECT FROM gold_quote
          WHERE created_at >= ${from} AND kind = 'BUY' AND status = 'ACTIVE') AS charged`,
  );
  return row?.charged === true;
};
