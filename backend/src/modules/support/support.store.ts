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
  /** Null where the service key sealed it. */
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

/** A ticket as it is stored. A null text was erased, or never written. */
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

/** Returns a ticket, or undefined when there is none of this reference. */
export const findTicket = async (db: Db, reference: string): Promise<StoredTicket | undefined> => {
  const row = await db.supportTicket.findUnique({ where: { reference }, include: withAssignee });
  return row === null ? undefined : toTicket(row);
};

/**
 * Locks a ticket until the transaction ends. Returns undefined when there is none of this
 * reference.
 */
export const lockTicket = async (tx: Db, reference: string): Promise<StoredTicket | undefined> => {
  await selectRows(
    tx,
    sql`SELECT id FROM support_ticket WHERE reference = ${reference} FOR UPDATE`,
  );
  return findTicket(tx, reference);
};

/** Assigns a ticket to an operator, or to none. */
export const assignTicket = async (
  tx: Db,
  id: string,
  { assigneeId, at }: { readonly assigneeId: string | null; readonly at: Date },
): Promise<void> => {
  await tx.supportTicket.updateMany({ where: { id }, data: { assigneeId, updatedAt: at } });
};

/** Marks a ticket as changed at a moment: something was written to it. */
export const markTicketChanged = async (tx: Db, id: string, at: Date): Promise<void> => {
  await tx.supportTicket.updateMany({ where: { id }, data: { updatedAt: at } });
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
  /** An operator's id, or null for unassigned tickets. */
  readonly assigneeId?: string | null | undefined;
  /** Open tickets that are due at a moment: overdue, or within the next days. */
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

/** Returns a page of tickets, newest first, and how many match. */
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

/** Returns the state of a ticket, or undefined when there is none of this reference. */
export const findTicketStatus = async (
  db: Db,
  reference: string,
): Promise<TicketStatus | undefined> => {
  const row = await db.supportTicket.findUnique({ where: { reference }, select: { status: true } });
  return ticketStatuses.find((status) => status === row?.status);
};
