import { addMs } from '../../platform/clock/clock.ts';
import { execute, sql, type Db } from '../../platform/db/index.ts';
import { isStillCustomer } from '../identity/index.ts';
import type { MessageAuthor } from './support.types.ts';
import { strangersMs } from './ticket-sealing.ts';

export interface StoredMessage {
  readonly id: string;
  readonly author: MessageAuthor;
  readonly admin: { readonly id: string; readonly email: string } | null;
  /** Null where it was erased. */
  readonly bodySealed: string | null;
  readonly purgeAfter: Date | null;
  readonly at: Date;
}

interface NewMessage {
  readonly id: string;
  readonly ticketId: string;
  readonly author: MessageAuthor;
  readonly adminId: string | null;
  readonly bodySealed: string;
  readonly purgeAfter: Date | null;
  readonly at: Date;
}

/** Adds a message to the thread of a ticket. */
export const insertMessage = async (tx: Db, message: NewMessage): Promise<void> => {
  await tx.supportTicketMessage.create({ data: message, select: { id: true } });
};

/** Messages of a thread that are shown: the newest. */
const mostMessages = 200;

/** Lists the newest messages of a ticket, oldest first. */
export const listMessages = async (db: Db, ticketId: string): Promise<StoredMessage[]> => {
  const rows = await db.supportTicketMessage.findMany({
    where: { ticketId },
    orderBy: [{ at: 'desc' }, { id: 'desc' }],
    take: mostMessages,
    include: { admin: { select: { id: true, email: true } } },
  });
  return rows.toReversed().map(({ author, ...row }) => ({
    ...row,
    author: author as MessageAuthor, // held by a check constraint
  }));
};

/**
 * Keeps what the service key sealed of a ticket for 30 days more: its writer has to be able to
 * read the answer.
 */
export const extendRetention = async (tx: Db, ticketId: string, at: Date): Promise<void> => {
  const purgeAfter = addMs(at, strangersMs);
  const sealedByService = { purgeAfter: { not: null } };
  await tx.supportTicket.updateMany({
    where: { id: ticketId, ...sealedByService },
    data: { purgeAfter },
  });
  const where = { ticketId, ...sealedByService };
  await tx.supportTicketMessage.updateMany({ where, data: { purgeAfter } });
  await tx.supportTicketEvent.updateMany({ where, data: { purgeAfter } });
};

/** The finished tickets: text of an open ticket is never erased. */
const ended = sql`SELECT id FROM support_ticket WHERE status IN ('RESOLVED', 'CLOSED')`;

/** Erases what strangers wrote, once its time has passed. Returns how many tickets that were. */
export const eraseContents = (db: Db, now: Date, limit: number): Promise<number> =>
  execute(
    db,
    sql`
      UPDATE support_ticket SET name_sealed = NULL, email_sealed = NULL, phone_sealed = NULL,
        subject_sealed = NULL, message_sealed = NULL
      WHERE id IN (
        SELECT id FROM support_ticket
        WHERE message_sealed IS NOT NULL AND purge_after < ${now}::timestamptz
          AND status IN ('RESOLVED', 'CLOSED')
        ORDER BY purge_after LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
  );

/** Erases notes of operators that the service key sealed, likewise. */
export const eraseNotes = (db: Db, now: Date, limit: number): Promise<number> =>
  execute(
    db,
    sql`
      UPDATE support_ticket_event SET note_sealed = NULL
      WHERE id IN (
        SELECT id FROM support_ticket_event
        WHERE note_sealed IS NOT NULL AND purge_after < ${now}::timestamptz
          AND ticket_id IN (${ended})
        ORDER BY purge_after LIMIT ${limit}::int)`,
  );

/** Erases messages that the service key sealed, likewise. */
export const eraseMessages = (db: Db, now: Date, limit: number): Promise<number> =>
  execute(
    db,
    sql`
      UPDATE support_ticket_message SET body_sealed = NULL
      WHERE id IN (
        SELECT id FROM support_ticket_message
        WHERE body_sealed IS NOT NULL AND purge_after < ${now}::timestamptz
          AND ticket_id IN (${ended})
        ORDER BY purge_after LIMIT ${limit}::int)`,
  );

/**
 * Locks a ticket's customer in share mode before the ticket is locked: the deletion of their account
 * locks the customer first, and both would wait for each other.
 */
export const lockCustomerForShare = async (tx: Db, reference: string): Promise<void> => {
  const row = await tx.supportTicket.findUnique({
    where: { reference },
    select: { userId: true },
  });
  if (typeof row?.userId === 'string') await isStillCustomer(tx, row.userId);
};
