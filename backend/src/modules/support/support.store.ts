import { execute, sql, type Db } from '../../platform/db/index.ts';
import { ticketStatuses, type TicketCategory, type TicketStatus } from './support.types.ts';

interface SealedTicket {
  readonly id: string;
  readonly reference: string;
  /** Null where the service key sealed it. */
  readonly userId: string | null;
  readonly category: TicketCategory;
  readonly nameSealed: string;
  readonly emailSealed: string | null;
  readonly phoneSealed: string | null;
  readonly subjectSealed: string;
  readonly messageSealed: string;
  readonly purgeAfter: Date | null;
  readonly createdAt: Date;
}

/** Inserts an open ticket. Returns false when the reference is taken. */
export const insertTicket = async (db: Db, ticket: SealedTicket): Promise<boolean> => {
  const { count } = await db.supportTicket.createMany({
    data: [{ ...ticket, status: 'OPEN', updatedAt: ticket.createdAt }],
    skipDuplicates: true,
  });
  return count === 1;
};

/** Returns the state of a ticket; undefined when there is none of this reference. */
export const findTicketStatus = async (
  db: Db,
  reference: string,
): Promise<TicketStatus | undefined> => {
  const row = await db.supportTicket.findUnique({ where: { reference }, select: { status: true } });
  return ticketStatuses.find((status) => status === row?.status);
};

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
        ORDER BY purge_after LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
  );
