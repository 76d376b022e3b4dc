import {
  execute,
  selectOne,
  selectRows,
  sql,
  sqlName,
  type Db,
  type InTransaction,
  type Sql,
} from '../db/index.ts';
import { firstId } from '../ids/first-id.ts';
import { SealError, type SealContext } from './sealing.ts';
import type { Vault } from './vault.ts';

/** A column of texts that a key of the service protects, in a table with a column `id`. */
export interface KeyedColumn {
  readonly table: string;
  readonly column: string;
}

/** A column of texts that the service key sealed, each bound to its row. */
export interface SealedColumn extends KeyedColumn {
  readonly contextOf: (id: string) => SealContext;
  /** Matches the rows whose text the service key sealed. The default is every row with a text. */
  readonly where?: Sql;
}

/**
 * Replaces the outdated texts of a column, in batches. A text stays unchanged if `renew` returns
 * undefined for it, if its row is locked, or if it changes meanwhile.
 * @returns the number of replaced texts
 */
export const renewColumn = async (
  { table, column }: KeyedColumn,
  {
    inBatch,
    outdated,
    renew,
    batchSize = 200,
  }: {
    /** Runs a batch, in a transaction or each statement by itself. */
    readonly inBatch: InTransaction;
    readonly outdated: Sql;
    readonly renew: (text: string, id: string) => string | undefined;
    readonly batchSize?: number | undefined;
  },
  signal: AbortSignal,
): Promise<number> => {
  const [from, text] = [sqlName(table), sqlName(column)];
  let count = 0;
  let lastId = firstId;
  while (!signal.aborted) {
    const rows = await inBatch(async (db) => {
      const batch = await selectRows<{ id: string; stored: string }>(
        db,
        sql`
          SELECT id::text AS id, ${text} AS stored FROM ${from}
          WHERE id > ${lastId}::uuid AND ${outdated}
          ORDER BY id LIMIT ${batchSize}::int FOR UPDATE SKIP LOCKED`,
      );
      for (const { id, stored } of batch) {
        const fresh = renew(stored, id);
        if (fresh === undefined) continue;
        count += await execute(
          db,
          sql`UPDATE ${from} SET ${text} = ${fresh} WHERE id = ${id}::uuid AND ${text} = ${stored}`,
        );
      }
      return batch;
    });
    if (rows.length < batchSize) break;
    lastId = rows.at(-1)?.id ?? lastId;
  }
  return count;
};

const sealedByOther = (
  { column, where = sql`true` }: Pick<SealedColumn, 'column' | 'where'>,
  keyId: string,
): Sql => sql`${where} AND NOT starts_with(${sqlName(column)}, ${`v1.${keyId}.`})`;

/**
 * Seals every text of a column again after PII_KEYRING got a new first key. Each batch is a
 * transaction. A text whose key has left the ring stays unchanged.
 * @returns the number of texts that were sealed again
 */
export const resealColumn = (
  {
    vault: { keyId, service },
    inTransaction,
    batchSize,
  }: {
    readonly vault: Pick<Vault, 'keyId' | 'service'>;
    readonly inTransaction: InTransaction;
    readonly batchSize?: number;
  },
  place: SealedColumn,
  signal: AbortSignal,
): Promise<number> => {
  const renew = (sealed: string, id: string): string | undefined => {
    try {
      return service.seal(service.open(sealed, place.contextOf(id)), place.contextOf(id));
    } catch (error) {
      if (error instanceof SealError) return undefined;
      throw error;
    }
  };
  const outdated = sealedByOther(place, keyId);
  return renewColumn(place, { inBatch: inTransaction, outdated, renew, batchSize }, signal);
};

/** Counts the texts of a column that a service key other than `keyId` sealed. */
export const countSealedByOther = async (
  db: Db,
  place: Pick<SealedColumn, 'table' | 'column' | 'where'>,
  keyId: string,
): Promise<number> => {
  const row = await selectOne<{ count: number }>(
    db,
    sql`
      SELECT count(*)::int AS count FROM ${sqlName(place.table)}
      WHERE ${sealedByOther(place, keyId)}`,
  );
  return row?.count ?? 0;
};
