import { createHash, timingSafeEqual } from 'node:crypto';
import type { Redis } from 'ioredis';
import { AppError } from '../../platform/errors/app-error.ts';
import { addressGroup } from '../../platform/http/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { createWindowLimit } from '../../platform/rate-limit/create-rate-limit.ts';
import type { IdentifyCustomer } from '../identity/index.ts';
import { createOpener, type ReadTicketsDeps } from './read-tickets.ts';
import { findTicket, type StoredTicket } from './support.store.ts';

export interface TicketAccessDeps extends Pick<ReadTicketsDeps, 'db' | 'vault'> {
  readonly redis: Redis;
  readonly logger: Pick<Logger, 'warn'>;
  readonly identify: IdentifyCustomer;
}

/** A request for a ticket by a person who claims to be its author. */
interface TicketRequest {
  readonly reference: string;
  /** The email address or phone number of the ticket, in the form in which it is stored. */
  readonly contact: string | undefined;
  readonly authorization: string | undefined;
  readonly ip: string;
}

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
const isEqual = (one: string, other: string): boolean =>
  timingSafeEqual(hashOf(one), hashOf(other));

const message = 'You have opened this ticket too often. Please try again later.';

/** @throws AppError TICKET_LIMIT if a limit returned a time to wait */
const requireNoWait = (retryAfterSeconds: number | undefined): void => {
  if (retryAfterSeconds !== undefined) {
    throw new AppError('TICKET_LIMIT', { message, retryAfterSeconds });
  }
};

/**
 * The maximum number of requests with a contact in an hour, from an address group and for a ticket.
 * Requests with the right contact count too. Otherwise a person could still find the right contact
 * after the limit is reached, because only wrong contacts would be refused.
 */
const [contactsPerAddress, contactsPerTicket] = [20, 60];
/** The maximum number of messages that an author may add to a ticket in an hour. */
const messagesPerTicket = 20;
const hourMs = 60 * 60_000;

/**
 * Creates the functions that admit the author of a ticket. A signed-in customer is admitted to their own
 * tickets. Any other person needs the reference and a contact that the ticket has. A wrong reference and a
 * wrong contact get the same 404 (contract: customers > Support).
 */
export const createTicketAccess = (deps: TicketAccessDeps) => {
  const { redis, logger, identify, db } = deps;
  const createLimit = (prefix: string, limit: number) =>
    createWindowLimit({
      redis,
      prefix,
      limit,
      windowMs: hourMs,
      onStoreError: (error) =>
        logger.warn({ err: error }, 'tickets are counted per replica: the cache is unavailable'),
    });
  const countAddress = createLimit('support-contact-addresses', contactsPerAddress);
  const countReference = createLimit('support-contact-tickets', contactsPerTicket);
  const countMessage = createLimit('support-messages', messagesPerTicket);

  const hasContact = async (ticket: StoredTicket, contact: string): Promise<boolean> => {
    const opener = await createOpener(deps, [ticket]);
    const contacts = [
      opener.text(ticket, 'email', ticket.emailSealed),
      opener.text(ticket, 'phone', ticket.phoneSealed),
    ];
    return contacts.some(
      (known) => known !== null && isEqual(known.toLowerCase(), contact.toLowerCase()),
    );
  };

  return {
    /** Returns the ticket to its author. @throws AppError NOT_FOUND, TICKET_LIMIT */
    async admit(request: TicketRequest): Promise<StoredTicket> {
      const { reference, contact, authorization, ip } = request;
      const customer = await identify(authorization);
      const ticket = await findTicket(db, reference);
      const isOwn = customer !== undefined && ticket?.userId === customer.userId;
      if (isOwn) return ticket;
      if (contact !== undefined) {
        requireNoWait(await countAddress(addressGroup(ip)));
        requireNoWait(await countReference(reference));
        if (ticket !== undefined && (await hasContact(ticket, contact))) return ticket;
      }
      throw new AppError('NOT_FOUND');
    },

    /** Counts a message to a ticket. @throws AppError TICKET_LIMIT */
    async countMessage({ reference }: Pick<StoredTicket, 'reference'>): Promise<void> {
      requireNoWait(await countMessage(reference));
    },
  };
};
