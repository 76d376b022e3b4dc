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

/** The sealed columns of a ticket, as the context of their seals names them. */
const columns = ['name', 'email', 'phone', 'subject', 'message'] as const;
type Sealed = Readonly<Record<(typeof columns)[number], string | null>>;

/** Matches tickets that the service sealed, with another service key than the one of id `keyId` sealed. */
const sealedByOther = (keyId: string) => sql`
  message_sealed IS NOT NULL AND purge_after IS NOT NULL
  AND NOT starts_with(message_sealed, ${`v1.${keyId}.`})`;

/** Seals every column again. Returns undefined where the old key is gone. */
const resealTicket = (
  { service }: Pick<Vault, 'service'>,
  ticket: Sealed & { readonly id: string },
): Sealed | undefined => {
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
 * After a new first key in PII_KEYRING: seals tickets of strangers again, a batch in each
 * transaction. One whose key has left the ring stays as it is.
 * @returns how many tickets were sealed again
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
      const rows = await selectRows<Sealed & { readonly id: string }>(
        tx,
        sql`
          SELECT id::text AS id, name_sealed AS name, email_sealed AS email,
            phone_sealed AS phone, subject_sealed AS subject, message_sealed AS message
          FROM support_ticket
          WHERE id > ${after}::uuid AND ${sealedByOther(vault.keyId)}
          ORDER BY id LIMIT ${batchSize}::int FOR UPDATE SKIP LOCKED`,
      );
      let resealed = 0;
      for (const row of rows) {
        const fresh = resealTicket(vault, row);
        if (fresh === undefined) continue;
        const { count: changed } = await tx.supportTicket.updateMany({
          where: { id: row.id },
          data: {
            nameSealed: fresh.name,
            emailSealed: fresh.email,
            phoneSealed: fresh.phone,
            subjectSealed: fresh.subject,
            messageSealed: fresh.message,
          },
        });
        resealed += changed;
      }
      return { resealed, seen: rows.length, last: rows.at(-1)?.id };
    });
    count += batch.resealed;
    if (batch.seen < batchSize) break;
    after = batch.last ?? after;
  }
  return count;
};

/** Counts tickets of strangers that another service key than the one of id `keyId` sealed. */
export const countOutdatedTickets = async (db: Db, keyId: string): Promise<number> => {
  const row = await selectOne<{ count: number }>(
    db,
    sql`SELECT count(*)::int AS count FROM support_ticket WHERE ${sealedByOther(keyId)}`,
  );
  return row?.count ?? 0;
};
