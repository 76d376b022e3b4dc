import { selectOne, selectRows, sql, sqlName, execute, type Db } from '../db/index.ts';
import type { InTransaction } from '../db/index.ts';
import { firstId } from '../ids/first-id.ts';
import { SealError, type SealContext } from './sealing.ts';
import type { Vault } from './vault.ts';

/** A column of texts that the service key sealed, each bound to its row. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly contextOf: (id: string) => SealContext;
}

const batchSize = 200;

const sealedByOther = (column: string, keyId: string) =>
  sql`NOT starts_with(${sqlName(column)}, ${`v1.${keyId}.`})`;

/**
 * Seals every text of a column again after a new first key in PII_KEYRING, a batch in each
 * transaction. One whose key has left the ring stays as it is, and so does one that changes
 * meanwhile. Returns how many were sealed again.
 */
export const resealColumn = async (
  {
    vault: { keyId, service },
    inTransaction,
  }: {
    readonly vault: Pick<Vault, 'keyId' | 'service'>;
    readonly inTransaction: InTransaction;
  },
  { table, column, contextOf }: SealedColumn,
  signal: AbortSignal,
): Promise<number> => {
  const [from, text] = [sqlName(table), sqlName(column)];
  const reseal = async (tx: Db, id: string, sealed: string): Promise<number> => {
    try {
      const fresh = service.seal(service.open(sealed, contextOf(id)), contextOf(id));
      return await execute(
        tx,
        sql`UPDATE ${from} SET ${text} = ${fresh} WHERE id = ${id}::uuid AND ${text} = ${sealed}`,
      );
    } catch (error) {
      if (error instanceof SealError) return 0;
      throw error;
    }
  };

  let count = 0;
  let after = firstId;
  while (!signal.aborted) {
    const rows = await inTransaction(async (tx) => {
      const batch = await selectRows<{ id: string; sealed: string }>(
        tx,
        sql`
          SELECT id::text AS id, ${text} AS sealed FROM ${from}
          WHERE id > ${after}::uuid AND ${sealedByOther(column, keyId)}
          ORDER BY id LIMIT ${batchSize}::int`,
      );
      for (const { id, sealed } of batch) count += await reseal(tx, id, sealed);
      return batch;
    });
    if (rows.length < batchSize) break;
    after = rows.at(-1)?.id ?? after;
  }
  return count;
};

/** Counts texts of a column that another service key than the one of id `keyId` sealed. */
export const countSealedByOther = async (
  db: Db,
  { table, column }: Pick<SealedColumn, 'table' | 'column'>,
  keyId: string,
): Promise<number> => {
  const row = await selectOne<{ count: number }>(
    db,
    sql`
      SELECT count(*)::int AS count FROM ${sqlName(table)}
      WHERE ${sealedByOther(column, keyId)}`,
  );
  return row?.count ?? 0;
};
