import { execute, selectRows, sql, type Db, type Sql } from '../../platform/db/index.ts';
import { balanceDrifted, figuresOf, investedDrifted } from './checks/holding-drift.ts';

const batchSize = 500;

/** Selects those of the `customers` whose books disagree. */
const driftedOf = (customers: Sql): Sql => sql`
  SELECT user_id FROM (${figuresOf(customers)}) AS figures
  WHERE ${balanceDrifted} OR ${investedDrifted}`;

interface Batch {
  readonly last: bigint;
  readonly drifted: number;
}

/**
 * Proves the next batch of the list of unproven holdings. A holding whose books agree is removed
 * from the list. A holding whose books disagree stays listed. A holding that changes in the meantime
 * gets a new number, so it stays listed too. Returns undefined at the end of the list.
 */
export const proveBatch = async (db: Db, after: bigint): Promise<Batch | undefined> => {
  const batch = sql`
    SELECT user_id, seq FROM unproven_holding WHERE seq > ${after}::bigint
    ORDER BY seq LIMIT ${batchSize}::int`;
  const [row] = await selectRows<{ last: bigint | null; drifted: number }>(
    db,
    sql`
      WITH batch AS MATERIALIZED (${batch}),
      drifted AS MATERIALIZED (${driftedOf(sql`SELECT user_id FROM batch`)}),
      proven AS (
        DELETE FROM unproven_holding p USING batch b
        WHERE p.user_id = b.user_id AND p.seq = b.seq
          AND NOT EXISTS (SELECT FROM drifted d WHERE d.user_id = b.user_id)
        RETURNING 1)
      SELECT (SELECT max(seq) FROM batch) AS last, (SELECT count(*)::int FROM drifted) AS drifted`,
  );
  if (row === undefined || row.last === null) return undefined;
  return { last: row.last, drifted: row.drifted };
};

/**
 * Proves the next batch of all holdings, whether or not they are listed, and lists those whose books
 * disagree. Returns the last customer of the batch, or undefined after the last holding.
 */
export const proveAgain = async (db: Db, after: string): Promise<string | undefined> => {
  const batch = await db.holding.findMany({
    where: { userId: { gt: after } },
    orderBy: { userId: 'asc' },
    take: batchSize,
    select: { userId: true },
  });
  const last = batch.at(-1)?.userId;
  if (last === undefined) return undefined;
  const between = sql`
    SELECT user_id FROM holding WHERE user_id > ${after}::uuid AND user_id <= ${last}::uuid`;
  await execute(
    db,
    sql`INSERT INTO unproven_holding (user_id) ${driftedOf(between)} ON CONFLICT DO NOTHING`,
  );
  return last;
};
