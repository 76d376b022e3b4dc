import { execute, sql, type Db } from '../../platform/db/index.ts';
import type { Sweep } from '../../platform/jobs/sweep.ts';

const batchSize = 20_000;

const tables = [
  { total: sql`transaction_total`, change: sql`transaction_change` },
  { total: sql`list_total`, change: sql`list_change` },
] as const;

/**
 * Adds a batch of changes to their totals and deletes the changes. It is one statement, so a reader
 * sees each change exactly once. Returns the number of changed totals.
 */
const foldBatch = (db: Db, { total, change }: (typeof tables)[number]): Promise<number> =>
  execute(
    db,
    sql`
      WITH taken AS (
        DELETE FROM ${change} WHERE seq IN (
          SELECT seq FROM ${change} ORDER BY seq LIMIT ${batchSize}::int)
        RETURNING day, kind, status, change)
      INSERT INTO ${total} AS total (day, kind, status, count)
      SELECT day, kind, status, sum(change) FROM taken GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      ON CONFLICT (day, kind, status) DO UPDATE SET count = total.count + excluded.count`,
  );

/**
 * Creates the sweep that adds changes to their totals. It keeps the number of changes small, since
 * every read of a list sums them. Safe to run concurrently.
 */
export const createFoldChangesSweep = ({ db }: { readonly db: Db }): Sweep => ({
  name: 'transaction-counts-fold-changes',
  async run(signal) {
    for (const pair of tables) while (!signal.aborted && (await foldBatch(db, pair)) > 0);
  },
});
