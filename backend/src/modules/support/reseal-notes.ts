import { SealError, type Vault } from '../../platform/crypto/index.ts';
import {
  selectOne,
  selectRows,
  sql,
  type Db,
  type InTransaction,
} from '../../platform/db/index.ts';
import { firstId } from '../../platform/ids/first-id.ts';
import { noteContext } from './ticket-sealing.ts';

const batchSize = 200;

interface Note {
  readonly id: string;
  readonly note: string;
}

/** Matches notes that another service key than the one of id `keyId` sealed. */
const sealedByOther = (keyId: string) => sql`
  note_sealed IS NOT NULL AND purge_after IS NOT NULL
  AND NOT starts_with(note_sealed, ${`v1.${keyId}.`})`;

/**
 * Seals the notes of strangers' tickets anew after a new first key in PII_KEYRING. One whose key
 * has left the ring stays as it is. A note that is erased meanwhile stays erased. Returns how many
 * notes were sealed anew.
 */
export const resealNotes = async (
  {
    vault: { keyId, service },
    inTransaction,
  }: {
    readonly vault: Pick<Vault, 'keyId' | 'service'>;
    readonly inTransaction: InTransaction;
  },
  signal: AbortSignal,
): Promise<number> => {
  const reseal = async (tx: Db, { id, note }: Note): Promise<number> => {
    try {
      const fresh = service.seal(service.open(note, noteContext(id)), noteContext(id));
      const { count } = await tx.supportTicketEvent.updateMany({
        where: { id, noteSealed: note },
        data: { noteSealed: fresh },
      });
      return count;
    } catch (error) {
      if (error instanceof SealError) return 0;
      throw error;
    }
  };

  let count = 0;
  let after = firstId;
  while (!signal.aborted) {
    const rows = await inTransaction(async (tx) => {
      const batch = await selectRows<Note>(
        tx,
        sql`
          SELECT id::text AS id, note_sealed AS note FROM support_ticket_event
          WHERE id > ${after}::uuid AND ${sealedByOther(keyId)}
          ORDER BY id LIMIT ${batchSize}::int`,
      );
      for (const note of batch) count += await reseal(tx, note);
      return batch;
    });
    if (rows.length < batchSize) break;
    after = rows.at(-1)?.id ?? after;
  }
  return count;
};

/** Counts notes that another service key than the one of id `keyId` sealed. */
export const countOutdatedNotes = async (db: Db, keyId: string): Promise<number> => {
  const row = await selectOne<{ count: number }>(
    db,
    sql`SELECT count(*)::int AS count FROM support_ticket_event WHERE ${sealedByOther(keyId)}`,
  );
  return row?.count ?? 0;
};
