import {
  countSealedByOther,
  resealColumn,
  type SealedColumn,
} from '../../platform/crypto/index.ts';
import { sql, type Db } from '../../platform/db/index.ts';
import { messageContext, noteContext } from './ticket-sealing.ts';

/** The condition that the service key sealed a row. Only such rows have a `purge_after`. */
const isSealedByService = sql`purge_after IS NOT NULL`;

const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'support_ticket_event',
    column: 'note_sealed',
    contextOf: noteContext,
    where: isSealedByService,
  },
  {
    table: 'support_ticket_message',
    column: 'body_sealed',
    contextOf: messageContext,
    where: isSealedByService,
  },
];

/** Seals notes and messages under the service key again, as `resealColumn` does. Returns their number. */
export const resealNotes = async (
  deps: Parameters<typeof resealColumn>[0],
  signal: AbortSignal,
): Promise<number> => {
  let count = 0;
  for (const column of sealedColumns) count += await resealColumn(deps, column, signal);
  return count;
};

/** Counts notes and messages that were sealed with a service key other than `keyId`. */
export const countOutdatedNotes = async (db: Db, keyId: string): Promise<number> => {
  let count = 0;
  for (const column of sealedColumns) count += await countSealedByOther(db, column, keyId);
  return count;
};
