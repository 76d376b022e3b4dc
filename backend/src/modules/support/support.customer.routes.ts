import type { Redis } from 'ioredis';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  addressGroup,
  created,
  defineRoute,
  ok,
  pageQuery,
  PUBLIC,
  type Route,
} from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { createWindowLimit } from '../../platform/rate-limit/create-rate-limit.ts';
import { customerAccess, type IdentifyCustomer } from '../identity/index.ts';
import { openTicket } from './open-ticket.ts';
import { readOwnTickets, readThread } from './read-thread.ts';
import {
  createdTicket,
  messageBody,
  ownTicketPage,
  referenceParams,
  threadBody,
  threadView,
  ticketBody,
  ticketStatusView,
} from './support.schemas.ts';
import { findTicketStatus } from './support.store.ts';
import { createTicketAccess } from './ticket-access.ts';
import { writeMessage } from './write-message.ts';

const ticketsPerHour = 5;
const hourMs = 60 * 60_000;

interface SupportDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly redis: Redis;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Pick<Vault, 'forUser' | 'forUsers' | 'service'>;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Identifies the customer, if one is signed in. The customer's key then seals the ticket. */
  readonly identify: IdentifyCustomer;
  /** TICKET_ANSWER_DAYS, the days until a ticket is due that is not a grievance. */
  readonly contactDays: number;
}

const shared = { tags: ['support'], access: PUBLIC };

/** Declares the public routes that open a ticket and return the status of a ticket by its reference. */
const createTicketRoutes = (deps: SupportDeps): Route[] => {
  const { db, redis, logger, identify } = deps;
  const countTicket = createWindowLimit({
    redis,
    prefix: 'support-tickets',
    limit: ticketsPerHour,
    windowMs: hourMs,
    onStoreError: (error) =>
      logger.warn({ err: error }, 'tickets are counted per replica: the cache is unavailable'),
  });
  return [
    defineRoute({
      method: 'POST',
      path: '/support/tickets',
      summary: 'Open a ticket',
      body: ticketBody,
      responses: { 201: createdTicket },
      errors: ['TICKET_LIMIT'],
      ...shared,
      handler: async ({ body, context }) => {
        const retryAfterSeconds = await countTicket(addressGroup(context.ip));
        if (retryAfterSeconds !== undefined) {
          throw new AppError('TICKET_LIMIT', { retryAfterSeconds });
        }
        const customer = await identify(context.headers.authorization);
        return created({ reference: await openTicket(deps, body, customer?.userId) });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/support/tickets/:reference',
      summary: 'The status of a ticket, without its content',
      params: referenceParams,
      responses: { 200: ticketStatusView },
      ...shared,
      handler: async ({ params: { reference } }) => {
        const status = await findTicketStatus(db, reference);
        if (status === undefined) throw new AppError('NOT_FOUND');
        return ok({ status });
      },
    }),
  ];
};

/** Declares the routes by which the author of a ticket reads it and replies to it. */
const createThreadRoutes = (deps: SupportDeps): Route[] => {
  const access = createTicketAccess(deps);
  return [
    defineRoute({
      method: 'POST',
      path: '/support/tickets/:reference/thread',
      summary:
        'Read a ticket, with the access token of its customer or its phone number or email address',
      params: referenceParams,
      body: threadBody,
      responses: { 200: threadView },
      errors: ['NOT_FOUND', 'TICKET_LIMIT'],
      ...shared,
      handler: async ({ params: { reference }, body: { contact }, context }) => {
        const { ip, headers } = context;
        await access.admit({ reference, contact, ip, authorization: headers.authorization });
        return ok(await readThread(deps, reference));
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/support/tickets/:reference/messages',
      summary: 'Reply to a ticket, with the same access as for reading. A resolved ticket reopens',
      params: referenceParams,
      body: messageBody,
      responses: { 201: threadView },
      errors: ['NOT_FOUND', 'TICKET_LIMIT', 'ILLEGAL_TRANSITION'],
      ...shared,
      handler: async ({ params: { reference }, body: { contact, message }, context }) => {
        const { ip, headers, requestId } = context;
        const { authorization } = headers;
        const ticket = await access.admit({ reference, contact, ip, authorization });
        await access.countMessage(ticket);
        await writeMessage(deps, { reference, message, requestId });
        return created(await readThread(deps, reference));
      },
    }),
  ];
};

/**
 * Declares `/support/tickets` of the customer API. Only the list of the caller's own tickets needs a
 * signed-in customer (contract: customers > Support).
 */
export const createSupportCustomerRoutes = (deps: SupportDeps): Route[] => [
  ...createTicketRoutes(deps),
  defineRoute({
    method: 'GET',
    path: '/support/tickets',
    summary: "The caller's own tickets, newest first",
    tags: ['support'],
    access: customerAccess,
    query: pageQuery,
    responses: { 200: ownTicketPage },
    handler: async ({ query: page, principal: { userId } }) =>
      ok(await readOwnTickets(deps, userId, page)),
  }),
  ...createThreadRoutes(deps),
];
