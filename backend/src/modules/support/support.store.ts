import type { Prisma } from '../../generated/prisma/client.ts';
import { execute, selectRows, sql, type Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Purge } from '../../platform/jobs/index.ts';
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

type TicketRow = Prisma.SupportTicketGetPayload<object>;

/** A ticket as it is stored; what is null of its texts was erased, or never written. */
export type StoredTicket = Omit<TicketRow, 'category' | 'status'> & {
  readonly category: TicketCategory;
  readonly status: TicketStatus;
};

/** Inserts an open ticket. Returns false when the reference is taken. */
export const insertTicket = async (db: Db, ticket: SealedTicket): Promise<boolean> => {
  const { count } = await db.supportTicket.createMany({
    data: [{ ...ticket, status: 'OPEN', updatedAt: ticket.createdAt }],
    skipDuplicates: true,
  });
  return count === 1;
};

const toTicket = ({ category, status, ...row }: TicketRow): StoredTicket => ({
  ...row,
  // Both held by check constraints.
  category: category as TicketCategory,
  status: status as TicketStatus,
});

/** Returns a ticket; undefined when there is none of this reference. */
export const findTicket = async (db: Db, reference: string): Promise<StoredTicket | undefined> => {
  const row = await db.supportTicket.findUnique({ where: { reference } });
  return row === null ? undefined : toTicket(row);
};

/** Locks a ticket until the transaction ends; undefined when there is none of this reference. */
export const lockTicket = async (tx: Db, reference: string): Promise<StoredTicket | undefined> => {
  await selectRows(
    tx,
    sql`SELECT id FROM support_ticket WHERE reference = ${reference} FOR UPDATE`,
  );
  return findTicket(tx, reference);
};

/** Changes the state of a ticket that is still in `from`. Returns how many tickets that were. */
export const updateTicketStatus = async (
  tx: Db,
  id: string,
  { from, to, at }: { readonly from: TicketStatus; readonly to: TicketStatus; readonly at: Date },
): Promise<number> => {
  const { count } = await tx.supportTicket.updateMany({
    where: { id, status: from },
    data: { status: to, updatedAt: at },
  });
  return count;
};

export const insertTicketEvent = async (
  tx: Db,
  event: Prisma.SupportTicketEventUncheckedCreateInput,
): Promise<void> => {
  await tx.supportTicketEvent.create({ data: event, select: { id: true } });
};

/** Lists what operators did with a ticket, oldest first. */
export const listTicketEvents = (db: Db, ticketId: string) =>
  db.supportTicketEvent.findMany({
    where: { ticketId },
    orderBy: [{ at: 'asc' }, { id: 'asc' }],
    include: { actor: { select: { id: true, email: true } } },
  });

export interface TicketFilter {
  readonly status?: TicketStatus | undefined;
  readonly category?: TicketCategory | undefined;
  /** A part of the reference, in capitals. */
  readonly referencePart?: string | undefined;
  readonly userId?: string | undefined;
}

/** Returns a page of tickets, newest first, and how many match. */
export const listTickets = async (db: Db, filter: TicketFilter, page: Page) => {
  const { status, category, referencePart, userId } = filter;
  const where = {
    ...(status !== undefined && { status }),
    ...(category !== undefined && { category }),
    ...(referencePart !== undefined && { reference: { contains: referencePart } }),
    ...(userId !== undefined && { userId }),
  };
  const [rows, total] = await Promise.all([
    db.supportTicket.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      skip: offsetOf(page),
      take: page.limit,
    }),
    db.supportTicket.count({ where }),
  ]);
  return { tickets: rows.map(toTicket), total };
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
const eraseContents = (db: Db, now: Date, limit: number): Promise<number> =>
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

/** Erases notes that the service key sealed, likewise. */
const eraseNotes = (db: Db, now: Date, limit: number): Promise<number> =>
  execute(
    db,
    sql`
      UPDATE support_ticket_event SET note_sealed = NULL
      WHERE id IN (
        SELECT id FROM support_ticket_event
        WHERE note_sealed IS NOT NULL AND purge_after < ${now}::timestamptz
        ORDER BY purge_after LIMIT ${limit}::int)`,
  );

/**
 * Erases what strangers wrote in tickets after 30 days, and what operators noted there; the tickets
 * stay.
 */
export const createTicketPurge = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): Purge => ({
  name: 'purge-tickets',
  async deleteBatch(limit) {
    const erased = await eraseContents(db, clock.now(), limit);
    return erased + (await eraseNotes(db, clock.now(), limit - erased));
  },
});
