import { gramsFromDatabase, paise, type DatabaseDecimal } from '../../money/index.ts';
import { selectOne, selectRows, sql, type Db, type Sql, execute } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import type { Sweep } from '../../platform/jobs/index.ts';
import type { Transaction } from './transactions.types.ts';

/** The newest day that holds rows of a page, and what lies before the page. */
interface Place {
  readonly total: number;
  /** The end of the day in which the page begins; null where the page is behind the last one. */
  readonly dayEnd: Date | null;
  /** Rows of newer days. */
  readonly newer: number;
}

/**
 * Finds a page by the counts of the customer's days, which are few where the rows are many. They
 * are kept by triggers, so no row is counted here. The days are read from the newest, no further
 * than to the page; the total is the one figure that reads them all (benchmarks.md).
 */
export const findPlace = async (db: Db, userId: string, offset: number): Promise<Place> => {
  const place = await selectOne<Place>(
    db,
    sql`
      SELECT days.total, coalesce(place.newer, 0)::int AS newer,
        (place.day + 1)::timestamp AT TIME ZONE 'UTC' AS "dayEnd"
      FROM (
        SELECT coalesce(sum(count), 0)::int AS total FROM transaction_count
        WHERE user_id = ${userId}::uuid) AS days
      LEFT JOIN LATERAL (
        SELECT day, newer FROM (
          SELECT day, count, sum(count) OVER newest_first - count AS newer FROM transaction_count
          WHERE user_id = ${userId}::uuid
          WINDOW newest_first AS (ORDER BY day DESC ROWS UNBOUNDED PRECEDING)) AS running
        WHERE newer + count > ${offset}::int ORDER BY day DESC LIMIT 1) AS place ON true`,
  );
  return place ?? { total: 0, dayEnd: null, newer: 0 };
};

type Row = Omit<Transaction, 'amountPaise' | 'grams'> & {
  readonly amountPaise: bigint;
  readonly grams: DatabaseDecimal | null;
};

/**
 * The grams of a row of `gold_order`; null for an installment without its gold, whose row holds at
 * most the verify of a moment (contract: plans > Installments).
 */
export const knownGrams = sql`
  CASE WHEN type <> 'SIP_INSTALLMENT' OR allocated_at IS NOT NULL THEN grams END`;
const goldOrders = sql`
  SELECT id, CASE type WHEN 'BUY' THEN 'GOLD_BUY' WHEN 'SELL' THEN 'GOLD_SELL' ELSE type END AS kind,
    status, amount_paise AS "amountPaise", ${knownGrams} AS grams, created_at AS "createdAt"
  FROM gold_order`;
const productOrders = sql`
  SELECT id, 'PRODUCT_ORDER', status, total_paise, NULL, created_at FROM product_order`;
const payouts = sql`
  SELECT id, 'PAYOUT', status, amount_paise, NULL, created_at FROM payout`;

/**
 * Selects rows `skip` to `skip + limit` of those before `dayEnd`. Each table gives no more of its
 * newest rows than that, by its own index.
 */
export const pageSql = (
  userId: string,
  { dayEnd, skip, limit }: { readonly dayEnd: Date; readonly skip: number; readonly limit: number },
): Sql => {
  const newestOf = (table: Sql): Sql => sql`
    (${table} WHERE user_id = ${userId}::uuid AND created_at < ${dayEnd}::timestamptz
     ORDER BY created_at DESC, id DESC LIMIT ${skip + limit}::int)`;
  return sql`
    SELECT * FROM (
      ${newestOf(goldOrders)} UNION ALL ${newestOf(productOrders)} UNION ALL ${newestOf(payouts)}
    ) AS feed
    ORDER BY "createdAt" DESC, id DESC LIMIT ${limit}::int OFFSET ${skip}::int`;
};

/**
 * Returns a page of a customer's gold orders, product orders and payouts, newest first, and how
 * many there are. Its cost depends on the page's size, the customer's days and the rows of one day,
 * not on how many rows there are nor on how far back the page is.
 */
export const listTransactions = async (
  db: Db,
  userId: string,
  page: Page,
): Promise<{ readonly rows: readonly Transaction[]; readonly total: number }> => {
  const offset = offsetOf(page);
  const { total, dayEnd, newer } = await findPlace(db, userId, offset);
  if (dayEnd === null) return { rows: [], total };
  const place = { dayEnd, skip: offset - newer, limit: page.limit };
  const rows = await selectRows<Row>(db, pageSql(userId, place));
  return {
    rows: rows.map((row) => ({
      ...row,
      amountPaise: paise(row.amountPaise),
      grams: row.grams === null ? null : gramsFromDatabase(row.grams),
    })),
    total,
  };
};

const batchSize = 20_000;

/**
 * Adds a batch of changes to their totals and deletes them, in one statement: a reader sees either.
 * Returns how many totals that were.
 */
const foldBatch = (db: Db): Promise<number> =>
  execute(
    db,
    sql`
      WITH taken AS (
        DELETE FROM transaction_change WHERE seq IN (
          SELECT seq FROM transaction_change ORDER BY seq LIMIT ${batchSize}::int)
        RETURNING day, kind, status, change)
      INSERT INTO transaction_total AS total (day, kind, status, count)
      SELECT day, kind, status, sum(change) FROM taken GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      ON CONFLICT (day, kind, status) DO UPDATE SET count = total.count + excluded.count`,
  );

/** Keeps the changes few, whose number the operators' feed pays for. Safe to run concurrently. */
export const createFoldChanges = ({ db }: { readonly db: Db }): Sweep => ({
  name: 'fold-transaction-changes',
  async run(signal) {
    while (!signal.aborted && (await foldBatch(db)) > 0);
  },
});
