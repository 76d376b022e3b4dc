import type { z } from 'zod';
import { created, defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { anyAdmin } from '../admins/index.ts';
import { answerTicket, writeToCustomer, type AnswerTicketDeps } from './answer-ticket.ts';
import { setAssignee } from './assign-ticket.ts';
import { filterOfSearch, readTicket, readTickets } from './read-tickets.ts';
import {
  assigneeBody,
  operatorMessage,
  ticketPage,
  ticketPatch,
  ticketsQuery,
  ticketView,
} from './support.admin.schemas.ts';
import { referenceParams } from './support.schemas.ts';
import type { TicketFilter } from './support.store.ts';

type TicketsQuery = z.output<typeof ticketsQuery>;

const filterOf = (
  { status, category, assignee, due, q }: Omit<TicketsQuery, 'page' | 'limit'>,
  now: Date,
): TicketFilter => ({
  status,
  category,
  assigneeId: assignee === 'none' ? null : assignee,
  due: due === undefined ? undefined : { kind: due, now },
  ...filterOfSearch(q),
});

/** Declares the routes by which operators write to a ticket's customer and assign the ticket. */
const createDeskRoutes = (deps: AnswerTicketDeps): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/support/tickets/:reference/messages',
    summary: 'Reply to the customer of a ticket. An OPEN ticket becomes IN_PROGRESS',
    tags: ['support'],
    access: anyAdmin,
    params: referenceParams,
    body: operatorMessage,
    responses: { 201: ticketView },
    errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION'],
    handler: async ({ params: { reference }, body: { message }, principal, context }) => {
      await writeToCustomer(deps, { reference, message }, { principal, context });
      return created(await readTicket(deps, reference));
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/support/tickets/:reference/assignee',
    summary: 'Assign a ticket to an operator, or remove its assignee',
    tags: ['support'],
    access: anyAdmin,
    params: referenceParams,
    body: assigneeBody,
    responses: { 200: ticketView },
    errors: ['NOT_FOUND'],
    handler: async ({ params: { reference }, body: { adminId }, principal, context }) => {
      await setAssignee(deps, { reference, adminId }, { principal, context });
      return ok(await readTicket(deps, reference));
    },
  }),
];

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
      handler: async ({ query: { page, limit, ...query } }) =>
        ok(await readTickets(deps, filterOf(query, deps.clock.now()), { page, limit })),
    }),
    defineRoute({
      method: 'GET',
      path: '/support/tickets/:reference',
      summary: 'One ticket with its messages and notes',
      params: referenceParams,
      responses: { 200: ticketView },
      ...shared,
      handler: async ({ params: { reference } }) => ok(await readTicket(deps, reference)),
    }),
    defineRoute({
      method: 'PATCH',
      path: '/support/tickets/:reference',
      summary: 'Change the status of a ticket, with an optional note or an answer to the customer',
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
    ...createDeskRoutes(deps),
  ];
};
