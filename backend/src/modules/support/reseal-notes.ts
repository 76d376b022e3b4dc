import { SealError, type Vault } from '../../platform/crypto/index.ts';
import {
  execute,
  selectOne,
  selectRows,
  sql,
  type Db,
  type InTransaction,
  type Sql,
} from '../../platform/db/index.ts';
import { firstId } from '../../platform/ids/first-id.ts';
import { messageContext, noteContext } from './ticket-sealing.ts';

const batchSize = 200;

/** A column of texts about tickets, which the service key sealed where they are to be erased. */
interface SealedColumn {
  readonly table: Sql;
  readonly column: Sql;
  readonly contextOf: (row: string) => ReturnType<typeof noteContext>;
}

const columns: readonly SealedColumn[] = [
  { table: sql`support_ticket_event`, column: sql`note_sealed`, contextOf: noteContext },
  { table: sql`support_ticket_message`, column: sql`body_sealed`, contextOf: messageContext },
];

interface Text {
  readonly id: string;
  readonly sealed: string;
}

/** Matches texts that another service key than the one of id `keyId` sealed. */
const sealedByOther = ({ column }: SealedColumn, keyId: string) => sql`
  ${column} IS NOT NULL AND purge_after IS NOT NULL
  AND NOT starts_with(${column}, ${`v1.${keyId}.`})`;

const resealColumn = async (
  {
    vault: { keyId, service },
    inTransaction,
  }: {
    readonly vault: Pick<Vault, 'keyId' | 'service'>;
    readonly inTransaction: InTransaction;
  },
  place: SealedColumn,
  signal: AbortSignal,
): Promise<number> => {
  const { table, column, contextOf } = place;
  const reseal = async (tx: Db, { id, sealed }: Text): Promise<number> => {
    try {
      const fresh = service.seal(service.open(sealed, contextOf(id)), contextOf(id));
      return await execute(
        tx,
        sql`
          UPDATE ${table} SET ${column} = ${fresh}
          WHERE id = ${id}::uuid AND ${column} = ${sealed}`,
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
      const batch = await selectRows<Text>(
        tx,
        sql`
          SELECT id::text AS id, ${column} AS sealed FROM ${table}
          WHERE id > ${after}::uuid AND ${sealedByOther(place, keyId)}
          ORDER BY id LIMIT ${batchSize}::int`,
      );
      for (const text of batch) count += await reseal(tx, text);
      return batch;
    });
    if (rows.length < batchSize) break;
    after = rows.at(-1)?.id ?? after;
  }
  return count;
};

/**
 * Seals the notes and messages of strangers' tickets again after a new first key in PII_KEYRING. One
 * whose key has left the ring stays as it is. A text that is erased meanwhile stays erased. Returns
 * how many texts were sealed again.
 */
export const resealNotes = async (
  deps: Parameters<typeof resealColumn>[0],
  signal: AbortSignal,
): Promise<number> => {
  let count = 0;
  for (const place of columns) count += await resealColumn(deps, place, signal);
  return count;
};

/** Counts notes and messages that another service key than the one of id `keyId` sealed. */
export const countOutdatedNotes = async (db: Db, keyId: string): Promise<number> => {
  let count = 0;
  for (const place of columns) {
    const row = await selectOne<{ count: number }>(
      db,
      sql`SELECT count(*)::int AS count FROM ${place.table} WHERE ${sealedByOther(place, keyId)}`,
    );
    count += row?.count ?? 0;
  }
  return count;
};
