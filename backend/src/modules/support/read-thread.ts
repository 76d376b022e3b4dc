import { AppError } from '../../platform/errors/app-error.ts';
import type { Page } from '../../platform/http/index.ts';
import { createOpener, type ReadTicketsDeps, type TicketOpener } from './read-tickets.ts';
import { findTicket, listTickets, type StoredTicket } from './support.store.ts';
import type { OwnTicket, TicketThread } from './support.schemas.ts';
import { listMessages } from './ticket-messages.store.ts';

const presentOwnTicket = (ticket: StoredTicket, opener: TicketOpener): OwnTicket => ({
  reference: ticket.reference,
  category: ticket.category,
  status: ticket.status,
  subject: opener.text(ticket, 'subject', ticket.subjectSealed),
  dueAt: ticket.dueAt?.toISOString() ?? null,
  createdAt: ticket.createdAt.toISOString(),
  updatedAt: ticket.updatedAt.toISOString(),
});

/** Returns a page of a customer's own tickets, newest first. */
export const readOwnTickets = async (
  deps: Pick<ReadTicketsDeps, 'db' | 'vault'>,
  userId: string,
  page: Page,
) => {
  const { tickets, total } = await listTickets(deps.db, { userId }, page);
  const opener = await createOpener(deps, tickets);
  return { items: tickets.map((ticket) => presentOwnTicket(ticket, opener)), total, ...page };
};

/**
 * Returns a ticket as its author sees it, with the messages of the author and of support, oldest first.
 * Operators' notes and names are left out.
 * @throws AppError NOT_FOUND
 */
export const readThread = async (
  deps: Pick<ReadTicketsDeps, 'db' | 'vault'>,
  reference: string,
): Promise<TicketThread> => {
  const ticket = await findTicket(deps.db, reference);
  if (ticket === undefined) throw new AppError('NOT_FOUND');
  const opener = await createOpener(deps, [ticket]);
  const messages = await listMessages(deps.db, ticket.id);
  const firstMessage = {
    at: ticket.createdAt.toISOString(),
    author: 'CUSTOMER' as const,
    text: opener.text(ticket, 'message', ticket.messageSealed),
  };
  return {
    ...presentOwnTicket(ticket, opener),
    messages: [
      firstMessage,
      ...messages.map((message) => ({
        at: message.at.toISOString(),
        author: message.author,
        text: opener.message(ticket, message),
      })),
    ],
  };
};
