import type { Redis } from 'ioredis';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  addressGroup,
  created,
  defineRoute,
  ok,
  PUBLIC,
  type Route,
} from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { createWindowLimit } from '../../platform/rate-limit/create-rate-limit.ts';
import type { IdentifyCustomer } from '../identity/index.ts';
import { openTicket } from './open-ticket.ts';
import { createdTicket, referenceParams, ticketBody, ticketStatusView } from './support.schemas.ts';
import { findTicketStatus } from './support.store.ts';

const ticketsPerHour = 5;
const hourMs = 60 * 60_000;

/**
 * Declares `/support/tickets` of the customer API, for everybody (contract: customers > Support).
 */
export const createSupportRoutes = (deps: {
  readonly db: Db;
  readonly redis: Redis;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Pick<Vault, 'forUser' | 'service'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** Signing in is not needed, but whose ticket it is decides whose key seals it. */
  readonly identify: IdentifyCustomer;
}): Route[] => {
  const { db, redis, logger, identify } = deps;
  const countTicket = createWindowLimit({
    redis,
    prefix: 'support-tickets',
    limit: ticketsPerHour,
    windowMs: hourMs,
    onStoreError: (error) => logger.warn({ err: error }, 'counting tickets alone: no cache'),
  });
  const shared = { tags: ['support'], access: PUBLIC };
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
      summary: 'The state of a ticket, without its content',
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
