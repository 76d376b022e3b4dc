import type { Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Page } from '../../platform/http/index.ts';
import type { TicketDetail, TicketSummary } from './support.admin.schemas.ts';
import {
  findTicket,
  listTicketEvents,
  listTickets,
  type StoredTicket,
  type TicketFilter,
} from './support.store.ts';
import { noteContext, openText, ticketContext } from './ticket-sealing.ts';

interface ReadTicketsDeps {
  readonly db: Db;
  readonly vault: Pick<Vault, 'forUsers' | 'service'>;
}

/** Returns a search of tickets: a customer's id, or a part of the reference in any case. */
export const filterOfSearch = (q: string | undefined): Partial<TicketFilter> => {
  if (q === undefined) return {};
  const isUserId = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/iu.test(q);
  return isUserId ? { userId: q.toLowerCase() } : { referencePart: q.toUpperCase() };
};

/** Opens the texts of tickets, all customers' keys at once. */
const createOpener = async ({ db, vault }: ReadTicketsDeps, tickets: readonly StoredTicket[]) => {
  const userIds = tickets.flatMap(({ userId }) => (userId === null ? [] : [userId]));
  const sealers = await vault.forUsers(db, [...new Set(userIds)]);
  const sealerOf = ({ userId }: StoredTicket) =>
    userId === null ? vault.service : sealers.get(userId);
  return {
    text: (ticket: StoredTicket, name: string, sealed: string | null) =>
      openText(sealerOf(ticket), sealed, ticketContext(name, ticket.id)),
    note: (
      ticket: StoredTicket,
      event: { id: string; noteSealed: string | null; purgeAfter: Date | null },
    ) => {
      const sealer = event.purgeAfter === null ? sealerOf(ticket) : vault.service;
      return openText(sealer, event.noteSealed, noteContext(event.id));
    },
  };
};

type Opener = Awaited<ReturnType<typeof createOpener>>;

const summaryOf = (ticket: StoredTicket, open: Opener): TicketSummary => ({
  reference: ticket.reference,
  category: ticket.category,
  status: ticket.status,
  userId: ticket.userId,
  subject: open.text(ticket, 'subject', ticket.subjectSealed),
  createdAt: ticket.createdAt.toISOString(),
  updatedAt: ticket.updatedAt.toISOString(),
});

/** Returns a page of tickets, newest first, each with its subject. */
export const readTickets = async (deps: ReadTicketsDeps, filter: TicketFilter, page: Page) => {
  const { tickets, total } = await listTickets(deps.db, filter, page);
  const open = await createOpener(deps, tickets);
  return { items: tickets.map((ticket) => summaryOf(ticket, open)), total, ...page };
};

/**
 * Returns a ticket with what was written and noted; what was erased, or sealed with a key that is
 * destroyed, is null.
 * @throws AppError NOT_FOUND
 */
export const readTicket = async (
  deps: ReadTicketsDeps,
  reference: string,
): Promise<TicketDetail> => {
  const ticket = await findTicket(deps.db, reference);
  if (ticket === undefined) throw new AppError('NOT_FOUND');
  const open = await createOpener(deps, [ticket]);
  const events = await listTicketEvents(deps.db, ticket.id);
  return {
    ...summaryOf(ticket, open),
    name: open.text(ticket, 'name', ticket.nameSealed),
    email: open.text(ticket, 'email', ticket.emailSealed),
    phone: open.text(ticket, 'phone', ticket.phoneSealed),
    message: open.text(ticket, 'message', ticket.messageSealed),
    notes: events.map((event) => ({
      at: event.at.toISOString(),
      from: event.fromStatus,
      to: event.toStatus,
      actor: event.actor,
      note: open.note(ticket, event),
    })),
  };
};
