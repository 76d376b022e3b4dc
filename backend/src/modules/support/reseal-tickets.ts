import { SealError, type Vault } from '../../platform/crypto/index.ts';
import {
  selectOne,
  selectRows,
  sql,
  type Db,
  type InTransaction,
} from '../../platform/db/index.ts';
import { firstId } from '../../platform/ids/first-id.ts';
import { ticketContext } from './ticket-sealing.ts';

/** The names of a ticket's sealed columns in their sealing contexts. */
const columns = ['name', 'email', 'phone', 'subject', 'message'] as const;
type SealedFields = Readonly<Record<(typeof columns)[number], string | null>>;

/** Returns the condition that a ticket was sealed with a service key other than `keyId`. */
const isSealedByOther = (keyId: string) => sql`
  message_sealed IS NOT NULL AND purge_after IS NOT NULL
  AND NOT starts_with(message_sealed, ${`v1.${keyId}.`})`;

/** Seals every column of a ticket with the first service key. Returns undefined if the old key is gone. */
const resealTicket = (
  { service }: Pick<Vault, 'service'>,
  ticket: SealedFields & { readonly id: string },
): SealedFields | undefined => {
  const reseal = (name: (typeof columns)[number]): string | null => {
    const sealed = ticket[name];
    if (sealed === null) return null;
    const context = ticketContext(name, ticket.id);
    return service.seal(service.open(sealed, context), context);
  };
  try {
    const [name, email, phone] = [reseal('name'), reseal('email'), reseal('phone')];
    return { name, email, phone, subject: reseal('subject'), message: reseal('message') };
  } catch (error) {
    if (error instanceof SealError) return undefined;
    throw error;
  }
};

/**
 * Seals tickets under the service key again after PII_KEYRING has a new first key, a batch in each
 * transaction. A ticket whose key is not in the keyring any more is left unchanged. Returns the number of
 * tickets that were sealed again.
 */
export const resealTickets = async (
  {
    vault,
    inTransaction,
    batchSize = 200,
  }: {
    readonly vault: Pick<Vault, 'keyId' | 'service'>;
    readonly inTransaction: InTransaction;
    readonly batchSize?: number;
  },
  signal: AbortSignal,
): Promise<number> => {
  let count = 0;
  let after = firstId;
  while (!signal.aborted) {
    const batch = await inTransaction(async (tx) => {
      const rows = await selectRows<SealedFields & { readonly id: string }>(
        tx,
        sql`
          SELECT id::text AS id, name_sealed AS name, email_sealed AS email,
            phone_sealed AS phone, subject_sealed AS subject, message_sealed AS message
          FROM support_ticket
          WHERE id > ${after}::uuid AND ${isSealedByOther(vault.keyId)}
          ORDER BY id LIMIT ${batchSize}::int FOR UPDATE SKIP LOCKED`,
      );
      let resealed = 0;
      for (const row of rows) {
        const resealedFields = resealTicket(vault, row);
        if (resealedFields === undefined) continue;
        const { count: changed } = await tx.supportTicket.updateMany({
          where: { id: row.id },
          data: {
            nameSealed: resealedFields.name,
            emailSealed: resealedFields.email,
            phoneSealed: resealedFields.phone,
            subjectSealed: resealedFields.subject,
            messageSealed: resealedFields.message,
          },
        });
        resealed += changed;
      }
      return { resealed, read: rows.length, last: rows.at(-1)?.id };
    });
    count += batch.resealed;
    if (batch.read < batchSize) break;
    after = batch.last ?? after;
  }
  return count;
};

/** Counts tickets that were sealed with a service key other than `keyId`. */
export const countOutdatedTickets = async (db: Db, keyId: string): Promise<number> => {
  const row = await selectOne<{ count: number }>(
    db,
    sql`SELECT count(*)::int AS count FROM support_ticket WHERE ${isSealedByOther(keyId)}`,
  );
  return row?.count ?? 0;
};
