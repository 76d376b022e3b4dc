import { execute, selectRows, sql, sqlName, type Db } from '../db/index.ts';
import type { SecretHasher } from './secret-hasher.ts';

interface HashColumn {
  readonly table: string;
  readonly column: string;
}

const batchSize = 500;

/**
 * Seals every hash of a column with the first pepper. One that cannot be sealed anew is left as it
 * is (see `SecretHasher.reseal`), and so is one that its owner changes meanwhile.
 * @returns how many were sealed anew
 */
export const resealHashes = async (
  db: Db,
  hasher: Pick<SecretHasher, 'currentPrefix' | 'reseal'>,
  { table, column }: HashColumn,
  signal: AbortSignal,
): Promise<number> => {
  const [from, hash] = [sqlName(table), sqlName(column)];
  let count = 0;
  let after = '00000000-0000-0000-0000-000000000000';
  while (!signal.aborted) {
    const rows = await selectRows<{ id: string; stored: string }>(
      db,
      sql`
        SELECT id::text AS id, ${hash} AS stored FROM ${from}
        WHERE id > ${after}::uuid AND ${hash} LIKE 'v1.%'
          AND NOT starts_with(${hash}, ${hasher.currentPrefix})
        ORDER BY id LIMIT ${batchSize}::int`,
    );
    for (const { id, stored } of rows) {
      const fresh = hasher.reseal(stored);
      if (fresh === undefined) continue;
      count += await execute(
        db,
        sql`UPDATE ${from} SET ${hash} = ${fresh} WHERE id = ${id}::uuid AND ${hash} = ${stored}`,
      );
    }
    if (rows.length < batchSize) break;
    after = rows.at(-1)?.id ?? after;
  }
  return count;
};
