import type { Prisma } from '../../generated/prisma/client.ts';
import { selectRows, sql, type Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import { addMs } from '../../platform/clock/clock.ts';
import {
  dueSoonDays,
  openTicketStatuses,
  ticketStatuses,
  type TicketCategory,
  type TicketStatus,
} from './support.types.ts';

interface SealedTicket {
  readonly id: string;
  readonly reference: string;
  /** The customer whose key sealed the texts, or null if the service key did. */
  readonly userId: string | null;
  readonly category: TicketCategory;
  readonly nameSealed: string;
  readonly emailSealed: string | null;
  readonly phoneSealed: string | null;
  readonly subjectSealed: string;
  readonly messageSealed: string;
  readonly purgeAfter: Date | null;
  readonly dueAt: Date;
  readonly createdAt: Date;
}

const withAssignee = { assignee: { select: { id: true, email: true } } } as const;
type TicketRow = Prisma.SupportTicketGetPayload<{ include: typeof withAssignee }>;

/** A stored ticket. A text is null if it was erased or was never given. */
export type StoredTicket = Omit<TicketRow, 'category' | 'status'> & {
  readonly category: TicketCategory;
  readonly status: TicketStatus;
};

/** Inserts an OPEN ticket. Returns false if another ticket has the reference. */
export const insertTicket = async (db: Db, ticket: SealedTicket): Promise<boolean> => {
  const { count } = await db.supportTicket.createMany({
    data: [{ ...ticket, status: 'OPEN', updatedAt: ticket.createdAt }],
    skipDuplicates: true,
  });
  return count === 1;
};

const toTicket = ({ category, status, ...row }: TicketRow): StoredTicket => ({
  ...row,
  // Check constraints of the database restrict both columns.
  category: category as TicketCategory,
  status: status as TicketStatus,
});

/** Returns a ticket by its reference, or undefined if there is none. */
export const findTicket = async (db: Db, reference: string): Promise<StoredTicket | undefined> => {
  const row = await db.supportTicket.findUnique({ where: { reference }, include: withAssignee });
  return row === null ? undefined : toTicket(row);
};

/** Locks a ticket until the transaction ends, and returns it, or undefined if there is none. */
export const lockTicket = async (tx: Db, reference: string): Promise<StoredTicket | undefined> => {
  await selectRows(
    tx,
    sql`SELECT id FROM support_ticket WHERE reference = ${reference} FOR UPDATE`,
  );
  return findTicket(tx, reference);
};

/** Stores the assignee of a ticket, or removes it if `assigneeId` is null. */
export const assignTicket = async (
  tx: Db,
  id: string,
  { assigneeId, at }: { readonly assigneeId: string | null; readonly at: Date },
): Promise<void> => {
  await tx.supportTicket.updateMany({ where: { id }, data: { assigneeId, updatedAt: at } });
};

/** Stores the time at which a message was added to a ticket. */
export const markTicketChanged = async (tx: Db, id: string, at: Date): Promise<void> => {
  await tx.supportTicket.updateMany({ where: { id }, data: { updatedAt: at } });
};

export const insertTicketEvent = async (
  tx: Db,
  event: Prisma.SupportTicketEventUncheckedCreateInput,
): Promise<void> => {
  await tx.supportTicketEvent.create({ data: event, select: { id: true } });
};

/** Lists the changes of a ticket's status, oldest first. */
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
  /** An operator's id, or null for unassigned tickets. */
  readonly assigneeId?: string | null | undefined;
  /** Open tickets that are overdue, or that are due within the next `dueSoonDays` days. */
  readonly due?: { readonly kind: 'soon' | 'overdue'; readonly now: Date } | undefined;
}

const dayMs = 24 * 60 * 60_000;

const dueWhere = ({ due }: TicketFilter): Prisma.SupportTicketWhereInput => {
  if (due === undefined) return {};
  const { kind, now } = due;
  const dueAt =
    kind === 'overdue' ? { lte: now } : { gt: now, lte: addMs(now, dueSoonDays * dayMs) };
  return { AND: [{ status: { in: [...openTicketStatuses] } }, { dueAt }] };
};

/** Returns a page of tickets, newest first, and the number of matching tickets. */
export const listTickets = async (db: Db, filter: TicketFilter, page: Page) => {
  const { status, category, referencePart, userId, assigneeId } = filter;
  const where: Prisma.SupportTicketWhereInput = {
    ...dueWhere(filter),
    ...(status !== undefined && { status }),
    ...(category !== undefined && { category }),
    ...(referencePart !== undefined && { reference: { contains: referencePart } }),
    ...(userId !== undefined && { userId }),
    ...(assigneeId !== undefined && { assigneeId }),
  };
  const [rows, total] = await Promise.all([
    db.supportTicket.findMany({
      where,
      include: withAssignee,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      skip: offsetOf(page),
      take: page.limit,
    }),
    db.supportTicket.count({ where }),
  ]);
  return { tickets: rows.map(toTicket), total };
};

/** Returns the state of a ticket by its reference, or undefined if there is none. */
export const findTicketStatus = async (
  db: Db,
  reference: string,
): Promise<TicketStatus | undefined> => {
  const row = await db.supportTicket.findUnique({ where: { reference }, select: { status: true } });
  return ticketStatuses.find((status) => status === row?.status);
};
