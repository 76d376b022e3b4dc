import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { TicketPatch } from './support.admin.schemas.ts';
import { notifyAnswered } from './support.notifications.ts';
import { transitionTicket } from './support.states.ts';
import { assignTicket, lockTicket, markTicketChanged, type StoredTicket } from './support.store.ts';
import type { TicketStatus } from './support.types.ts';
import { insertMessage, extendRetention, lockCustomerForShare } from './ticket-messages.store.ts';
import { chooseSealer, messageContext, noteContext } from './ticket-sealing.ts';

export interface AnswerTicketDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: Auditor;
  readonly notify: Notify;
  readonly vault: Pick<Vault, 'forUsers' | 'service'>;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

/** Returns true for a state in which support has finished its work on a ticket. */
const isFinal = (status: TicketStatus): boolean => status === 'RESOLVED' || status === 'CLOSED';

const changeStatus = async (
  deps: AnswerTicketDeps,
  tx: Db,
  ticket: StoredTicket,
  { to, note, by: { principal, context } }: { to: TicketStatus; note?: string; by: ByOperator },
): Promise<void> => {
  const { clock, random, vault } = deps;
  const { id, status: from } = ticket;
  const [at, eventId] = [clock.now(), random.uuid()];
  const { sealer, purgeAfter } = await chooseSealer(vault, tx, { ticket, at });
  const sealed =
    note === undefined ? {} : { noteSealed: sealer.seal(note, noteContext(eventId)), purgeAfter };
  await transitionTicket(deps, tx, ticket, {
    to,
    actor: `admin:${principal.adminId}`,
    cause: 'ticket.answered',
    at,
    event: {
      id: eventId,
      actorId: principal.adminId,
      requestId: context.requestId,
      ...sealed,
    },
  });
  // The operator who starts to work on an unassigned ticket becomes its assignee.
  if (from === 'OPEN' && ticket.assigneeId === null) {
    await assignTicket(tx, id, { assigneeId: principal.adminId, at });
  }
  if (isFinal(to)) await extendRetention(tx, id, at);
};

/** Inserts an operator's message to the customer. A customer with an account is notified. */
const addAnswer = async (
  { clock, random, vault, notify }: AnswerTicketDeps,
  tx: Db,
  ticket: StoredTicket,
  { message, adminId }: { message: string; adminId: string },
): Promise<void> => {
  const [at, id] = [clock.now(), random.uuid()];
  const { sealer, purgeAfter } = await chooseSealer(vault, tx, { ticket, at });
  const bodySealed = sealer.seal(message, messageContext(id));
  await insertMessage(tx, {
    id,
    ticketId: ticket.id,
    author: 'OPERATOR',
    adminId,
    bodySealed,
    purgeAfter,
    at,
  });
  await markTicketChanged(tx, ticket.id, at);
  await notifyAnswered(tx, notify, { ticket, messageId: id });
};

/** Locks the ticket's customer, then the ticket. @throws AppError NOT_FOUND */
const lockForOperator = async (tx: Db, reference: string): Promise<StoredTicket> => {
  await lockCustomerForShare(tx, reference);
  const ticket = await lockTicket(tx, reference);
  if (ticket === undefined) throw new AppError('NOT_FOUND');
  return ticket;
};

/**
 * Changes the state of a ticket. The operator may add a note and an answer to the customer. All rows,
 * including the history and the audit row, are written in one transaction.
 * @throws AppError NOT_FOUND, and ILLEGAL_TRANSITION if the table does not allow the transition
 */
export const answerTicket = (
  deps: AnswerTicketDeps,
  { reference, change }: { reference: string; change: TicketPatch },
  by: ByOperator,
): Promise<void> =>
  deps.inTransaction(async (tx) => {
    const { principal, context } = by;
    const { status, note, answer } = change;
    const ticket = await lockForOperator(tx, reference);
    await changeStatus(deps, tx, ticket, { to: status, by, ...(note !== undefined && { note }) });
    if (answer !== undefined) {
      await addAnswer(deps, tx, ticket, { message: answer, adminId: principal.adminId });
    }
    const writtenTexts = {
      ...(note !== undefined && { note }),
      ...(answer !== undefined && { answer }),
    };
    await deps.audit.record(tx, {
      action: 'support.tickets.update',
      ...adminActor(principal, context),
      target: { type: 'support_ticket', id: reference },
      before: { status: ticket.status },
      after: { status },
      ...(Object.keys(writtenTexts).length > 0 && { sealed: { after: writtenTexts } }),
      ...(ticket.userId !== null && { sealedFor: ticket.userId }),
    });
  });

/**
 * Replies to the customer of a ticket. An OPEN ticket becomes IN_PROGRESS.
 * @throws AppError NOT_FOUND, and ILLEGAL_TRANSITION if the ticket is CLOSED
 */
export const writeToCustomer = (
  deps: AnswerTicketDeps,
  { reference, message }: { reference: string; message: string },
  by: ByOperator,
): Promise<void> =>
  deps.inTransaction(async (tx) => {
    const { principal, context } = by;
    const ticket = await lockForOperator(tx, reference);
    const { status, userId } = ticket;
    if (status === 'CLOSED') throw new AppError('ILLEGAL_TRANSITION', { details: { status } });
    if (status === 'OPEN') await changeStatus(deps, tx, ticket, { to: 'IN_PROGRESS', by });
    await addAnswer(deps, tx, ticket, { message, adminId: principal.adminId });
    await deps.audit.record(tx, {
      action: 'support.tickets.message',
      ...adminActor(principal, context),
      target: { type: 'support_ticket', id: reference },
      before: { status },
      after: { status: status === 'OPEN' ? 'IN_PROGRESS' : status },
      sealed: { after: { message } },
      ...(userId !== null && { sealedFor: userId }),
    });
  });
