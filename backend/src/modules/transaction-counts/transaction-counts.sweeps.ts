import { execute, sql, type Db } from '../../platform/db/index.ts';
import type { Sweep } from '../../platform/jobs/sweep.ts';

const batchSize = 20_000;

const tables = [
  { total: sql`transaction_total`, change: sql`transaction_change` },
  { total: sql`list_total`, change: sql`list_change` },
] as const;

/**
 * Adds a batch of changes to their totals and deletes them, in one statement: a reader sees either.
 * Returns how many totals that were.
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

/** Keeps the changes few, whose number the operators' lists pay for. Safe to run concurrently. */
export const createFoldChangesSweep = ({ db }: { readonly db: Db }): Sweep => ({
  name: 'transaction-counts-fold-changes',
  async run(signal) {
    for (const pair of tables) while (!signal.aborted && (await foldBatch(db, pair)) > 0);
  },
});
