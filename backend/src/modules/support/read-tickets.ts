import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Page } from '../../platform/http/index.ts';
import { isOverdue } from './due-date.ts';
import type { TicketDetail, TicketSummary } from './support.admin.schemas.ts';
import {
  findTicket,
  listTicketEvents,
  listTickets,
  type StoredTicket,
  type TicketFilter,
} from './support.store.ts';
import { listMessages, type StoredMessage } from './ticket-messages.store.ts';
import { messageContext, noteContext, openText, ticketContext } from './ticket-sealing.ts';

export interface ReadTicketsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly vault: Pick<Vault, 'forUsers' | 'service'>;
}

/** Converts a search text to a filter by customer id, or by a part of the reference in any case. */
export const filterOfSearch = (q: string | undefined): Partial<TicketFilter> => {
  if (q === undefined) return {};
  const isUserId = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/iu.test(q);
  return isUserId ? { userId: q.toLowerCase() } : { referencePart: q.toUpperCase() };
};

/**
 * Creates the functions that open the texts of these tickets. Loads the keys of all their customers at
 * once. A text with `purgeAfter` was sealed with the service key, and any other text with the customer's
 * key.
 */
export const createOpener = async (
  { db, vault }: Pick<ReadTicketsDeps, 'db' | 'vault'>,
  tickets: readonly StoredTicket[],
) => {
  const userIds = tickets.flatMap(({ userId }) => (userId === null ? [] : [userId]));
  const sealers = await vault.forUsers(db, [...new Set(userIds)]);
  const sealerOf = ({ userId }: StoredTicket, purgeAfter: Date | null) =>
    purgeAfter !== null || userId === null ? vault.service : sealers.get(userId);
  return {
    text: (ticket: StoredTicket, name: string, sealed: string | null) =>
      openText(sealerOf(ticket, ticket.purgeAfter), sealed, ticketContext(name, ticket.id)),
    note: (
      ticket: StoredTicket,
      event: { id: string; noteSealed: string | null; purgeAfter: Date | null },
    ) => openText(sealerOf(ticket, event.purgeAfter), event.noteSealed, noteContext(event.id)),
    message: (ticket: StoredTicket, message: StoredMessage) => {
      const sealer = sealerOf(ticket, message.purgeAfter);
      return openText(sealer, message.bodySealed, messageContext(message.id));
    },
  };
};

export type TicketOpener = Awaited<ReturnType<typeof createOpener>>;

const summaryOf = (ticket: StoredTicket, opener: TicketOpener, now: Date): TicketSummary => ({
  reference: ticket.reference,
  category: ticket.category,
  status: ticket.status,
  userId: ticket.userId,
  subject: opener.text(ticket, 'subject', ticket.subjectSealed),
  assignee: ticket.assignee,
  dueAt: ticket.dueAt?.toISOString() ?? null,
  overdue: isOverdue(ticket, now),
  createdAt: ticket.createdAt.toISOString(),
  updatedAt: ticket.updatedAt.toISOString(),
});

/** Returns a page of tickets, newest first, with their subjects. */
export const readTickets = async (deps: ReadTicketsDeps, filter: TicketFilter, page: Page) => {
  const { tickets, total } = await listTickets(deps.db, filter, page);
  const opener = await createOpener(deps, tickets);
  const now = deps.clock.now();
  return { items: tickets.map((ticket) => summaryOf(ticket, opener, now)), total, ...page };
};

/**
 * Returns a ticket with its messages and notes. A text is null if it was erased or if its key is
 * destroyed.
 * @throws AppError NOT_FOUND
 */
export const readTicket = async (
  deps: ReadTicketsDeps,
  reference: string,
): Promise<TicketDetail> => {
  const ticket = await findTicket(deps.db, reference);
  if (ticket === undefined) throw new AppError('NOT_FOUND');
  const opener = await createOpener(deps, [ticket]);
  const [events, messages] = await Promise.all([
    listTicketEvents(deps.db, ticket.id),
    listMessages(deps.db, ticket.id),
  ]);
  return {
    ...summaryOf(ticket, opener, deps.clock.now()),
    name: opener.text(ticket, 'name', ticket.nameSealed),
    email: opener.text(ticket, 'email', ticket.emailSealed),
    phone: opener.text(ticket, 'phone', ticket.phoneSealed),
    message: opener.text(ticket, 'message', ticket.messageSealed),
    messages: messages.map((message) => ({
      at: message.at.toISOString(),
      author: message.author,
      actor: message.admin,
      text: opener.message(ticket, message),
    })),
    notes: events.map((event) => ({
      at: event.at.toISOString(),
      from: event.fromStatus,
      to: event.toStatus,
      actor: event.actor,
      note: opener.note(ticket, event),
    })),
  };
};
