import {
  countSealedByOther,
  resealColumn,
  type SealedColumn,
} from '../../platform/crypto/index.ts';
import { sql, type Db } from '../../platform/db/index.ts';
import { messageContext, noteContext } from './ticket-sealing.ts';

/** Matches the rows that the service key sealed. They have a time to be erased. */
const where = sql`purge_after IS NOT NULL`;

const columns: readonly SealedColumn[] = [
  { table: 'support_ticket_event', column: 'note_sealed', contextOf: noteContext, where },
  { table: 'support_ticket_message', column: 'body_sealed', contextOf: messageContext, where },
];

/** Seals the notes and messages of strangers' tickets again: see `resealColumn`. */
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
  for (const place of columns) count += await countSealedByOther(db, place, keyId);
  return count;
};
