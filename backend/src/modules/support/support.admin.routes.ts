import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { anyAdmin } from '../admins/index.ts';
import { answerTicket, type AnswerTicketDeps } from './answer-ticket.ts';
import { filterOfSearch, readTicket, readTickets } from './read-tickets.ts';
import { ticketPage, ticketPatch, ticketsQuery, ticketView } from './support.admin.schemas.ts';
import { referenceParams } from './support.schemas.ts';

/** Declares `/support/tickets` of the admin API. */
export const createSupportAdminRoutes = (deps: AnswerTicketDeps): Route[] => {
  const shared = { tags: ['support'], access: anyAdmin };
  return [
    defineRoute({
      method: 'GET',
      path: '/support/tickets',
      summary: 'Tickets, newest first',
      query: ticketsQuery,
      responses: { 200: ticketPage },
      ...shared,
      handler: async ({ query: { status, category, q, ...page } }) =>
        ok(await readTickets(deps, { status, category, ...filterOfSearch(q) }, page)),
    }),
    defineRoute({
      method: 'GET',
      path: '/support/tickets/:reference',
      summary: 'A ticket with its message and notes',
      params: referenceParams,
      responses: { 200: ticketView },
      ...shared,
      handler: async ({ params: { reference } }) => ok(await readTicket(deps, reference)),
    }),
    defineRoute({
      method: 'PATCH',
      path: '/support/tickets/:reference',
      summary: 'Change the state of a ticket, with an optional note',
      params: referenceParams,
      body: ticketPatch,
      responses: { 200: ticketView },
      errors: ['ILLEGAL_TRANSITION'],
      ...shared,
      handler: async ({ params: { reference }, body: change, principal, context }) => {
        await answerTicket(deps, { reference, change }, { principal, context });
        return ok(await readTicket(deps, reference));
      },
    }),
  ];
};
