import { addMs } from '../../platform/clock/clock.ts';
import { execute, sql, type Db } from '../../platform/db/index.ts';
import { isStillCustomer } from '../identity/index.ts';
import type { MessageAuthor } from './support.types.ts';
import { serviceSealedLifeMs } from './ticket-sealing.ts';

export interface StoredMessage {
  readonly id: string;
  readonly author: MessageAuthor;
  readonly admin: { readonly id: string; readonly email: string } | null;
  /** The sealed text, or null if it was erased. */
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

/** Inserts a message of a ticket. */
export const insertMessage = async (tx: Db, message: NewMessage): Promise<void> => {
  await tx.supportTicketMessage.create({ data: message, select: { id: true } });
};

/** The maximum number of messages that are listed. */
const maxMessages = 200;

/** Lists the newest messages of a ticket, oldest first. */
export const listMessages = async (db: Db, ticketId: string): Promise<StoredMessage[]> => {
  const rows = await db.supportTicketMessage.findMany({
    where: { ticketId },
    orderBy: [{ at: 'desc' }, { id: 'desc' }],
    take: maxMessages,
    include: { admin: { select: { id: true, email: true } } },
  });
  return rows.toReversed().map(({ author, ...row }) => ({
    ...row,
    // A check constraint of the database restricts the author.
    author: author as MessageAuthor,
  }));
};

/**
 * Postpones the erasure of a ticket's texts that the service key sealed to 30 days from `at`, so that the
 * author can read the answer.
 */
export const extendRetention = async (tx: Db, ticketId: string, at: Date): Promise<void> => {
  const purgeAfter = addMs(at, serviceSealedLifeMs);
  const sealedByService = { purgeAfter: { not: null } };
  await tx.supportTicket.updateMany({
    where: { id: ticketId, ...sealedByService },
    data: { purgeAfter },
  });
  const where = { ticketId, ...sealedByService };
  await tx.supportTicketMessage.updateMany({ where, data: { purgeAfter } });
  await tx.supportTicketEvent.updateMany({ where, data: { purgeAfter } });
};

/** Selects the finished tickets, because text of an open ticket is never erased. */
const finishedTickets = sql`SELECT id FROM support_ticket WHERE status IN ('RESOLVED', 'CLOSED')`;

/**
 * Erases the texts of finished tickets whose retention time is over. Returns the number of changed
 * tickets.
 */
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

/** Erases operators' notes of finished tickets, by the same rule. Returns the number of changed notes. */
export const eraseNotes = (db: Db, now: Date, limit: number): Promise<number> =>
  execute(
    db,
    sql`
      UPDATE support_ticket_event SET note_sealed = NULL
      WHERE id IN (
        SELECT id FROM support_ticket_event
        WHERE note_sealed IS NOT NULL AND purge_after < ${now}::timestamptz
          AND ticket_id IN (${finishedTickets})
        ORDER BY purge_after LIMIT ${limit}::int)`,
  );

/** Erases messages of finished tickets, by the same rule. Returns the number of changed messages. */
export const eraseMessages = (db: Db, now: Date, limit: number): Promise<number> =>
  execute(
    db,
    sql`
      UPDATE support_ticket_message SET body_sealed = NULL
      WHERE id IN (
        SELECT id FROM support_ticket_message
        WHERE body_sealed IS NOT NULL AND purge_after < ${now}::timestamptz
          AND ticket_id IN (${finishedTickets})
        ORDER BY purge_after LIMIT ${limit}::int)`,
  );

/**
 * Takes a shared lock of a ticket's customer. The caller locks the ticket afterwards. The deletion of an
 * account locks the customer first too, so the two can't deadlock.
 */
export const lockCustomerForShare = async (tx: Db, reference: string): Promise<void> => {
  const row = await tx.supportTicket.findUnique({
    where: { reference },
    select: { userId: true },
  });
  if (typeof row?.userId === 'string') await isStillCustomer(tx, row.userId);
};
