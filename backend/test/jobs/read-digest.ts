import type { SimulatedSystem } from '../simulation/system/open-system.ts';

/** Counts of rows, by table and status, and of the requests to collaborators. */
export type Digest = Readonly<Record<string, number>>;

/** But for sums that are kept in any of several rows. */
const tablesSql = `
  SELECT t.table_name AS name, bool_or(c.column_name = 'status') AS "hasStatus"
  FROM information_schema.tables t
  JOIN information_schema.columns c USING (table_schema, table_name)
  WHERE t.table_schema = 'public' AND t.table_type = 'BASE TABLE'
    AND t.table_name NOT IN ('_prisma_migrations', 'running_total')
  GROUP BY 1 ORDER BY 1`;

const queueSql = `
  SELECT 'queued ' || t.identifier AS key, count(*)::int AS count
  FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
  GROUP BY 1`;

const sumsSql = `
  SELECT 'grams held' AS key, (sum(balance) * 100000000)::bigint::text AS count FROM holding
  UNION ALL SELECT 'grams reserved', (sum(reserved) * 100000000)::bigint::text FROM holding`;

/** Calls that change something. A repeat of a call has its key, or its body. */
const effects: ReadonlySet<string> = new Set([
  'buy-confirm',
  'sell-confirm',
  'create-order',
  'debit',
  'create-payout',
  'validate-account',
]);

interface Call {
  readonly operation: string;
  readonly idempotencyKey?: string;
  readonly path: string;
  readonly body: unknown;
}

const countEffects = async (system: SimulatedSystem): Promise<Digest> => {
  const entries: readonly Call[] = (await system.control('GET', '/journal')).body.entries;
  const known = new Set<string>();
  const counts: Record<string, number> = {};
  for (const { operation, idempotencyKey, path, body } of entries) {
    const text = JSON.stringify([operation, idempotencyKey ?? [path, body]]);
    if (!effects.has(operation) || known.has(text)) continue;
    known.add(text);
    counts[`asked for: ${operation}`] = (counts[`asked for: ${operation}`] ?? 0) + 1;
  }
  return counts;
};

/**
 * Counts everything that a job may do: rows by status, jobs that follow, grams, and the requests to
 * collaborators.
 */
export const readDigest = async (system: SimulatedSystem): Promise<Digest> => {
  const { client } = system;
  const { rows: tables } = await client.query<{ name: string; hasStatus: boolean }>(tablesSql);
  const parts = tables.map(
    ({ name, hasStatus }) =>
      `SELECT '${name}'${hasStatus ? " || ' ' || coalesce(status::text, '')" : ''} AS key,
         count(*)::text AS count FROM ${name} GROUP BY 1`,
  );
  const sql = [...parts, queueSql.replace('::int', '::text'), sumsSql].join(' UNION ALL ');
  const { rows } = await client.query<{ key: string; count: string | null }>(sql);
  const counted = Object.fromEntries(rows.map(({ key, count }) => [key, Number(count ?? 0)]));
  return { ...counted, ...(await countEffects(system)) };
};

/** Returns what was added and taken away, of what changed. */
export const differenceOf = (before: Digest, after: Digest): Digest => {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  const changes = keys.map((key) => [key, (after[key] ?? 0) - (before[key] ?? 0)] as const);
  return Object.fromEntries(changes.filter(([, change]) => change !== 0));
};
