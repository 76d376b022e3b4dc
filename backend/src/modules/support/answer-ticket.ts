import { addMs, type Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { transition } from '../../platform/transitions/transitions.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import type { TicketPatch } from './support.admin.schemas.ts';
import { ticketMachine } from './support.states.ts';
import {
  insertTicketEvent,
  lockTicket,
  updateTicketStatus,
  type StoredTicket,
} from './support.store.ts';
import { noteContext, strangersMs } from './ticket-sealing.ts';

export interface AnswerTicketDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: Auditor;
  readonly vault: Pick<Vault, 'forUsers' | 'service'>;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

/**
 * Seals a note with the key of the ticket's customer, so that it goes with them; with the service
 * key where there is none, or it is destroyed, to be erased with the rest of the ticket.
 */
const sealNote = async (
  { vault }: AnswerTicketDeps,
  tx: Db,
  { ticket, eventId, note, at }: { ticket: StoredTicket; eventId: string; note: string; at: Date },
) => {
  const { userId, purgeAfter } = ticket;
  const own = userId === null ? undefined : (await vault.forUsers(tx, [userId])).get(userId);
  const noteSealed = (own ?? vault.service).seal(note, noteContext(eventId));
  return {
    noteSealed,
    purgeAfter: own === undefined ? (purgeAfter ?? addMs(at, strangersMs)) : null,
  };
};

/**
 * Changes the state of a ticket, with its event, an operator's note and the audit row in one
 * transaction.
 * @throws AppError NOT_FOUND; ILLEGAL_TRANSITION where the table does not have it
 */
export const answerTicket = (
  deps: AnswerTicketDeps,
  { reference, change: { status, note } }: { reference: string; change: TicketPatch },
  { principal, context }: ByOperator,
): Promise<void> =>
  deps.inTransaction(async (tx) => {
    const { clock, random, audit, logger } = deps;
    const ticket = await lockTicket(tx, reference);
    if (ticket === undefined) throw new AppError('NOT_FOUND');
    const { id, status: from, userId } = ticket;
    const [at, eventId] = [clock.now(), random.uuid()];
    const sealed =
      note === undefined ? {} : await sealNote(deps, tx, { ticket, eventId, note, at });
    await transition(ticketMachine(logger), {
      id,
      from,
      to: status,
      actor: `admin:${principal.adminId}`,
      cause: 'ticket.answered',
      update: () => updateTicketStatus(tx, id, { from, to: status, at }),
      recordHistory: () =>
        insertTicketEvent(tx, {
          id: eventId,
          ticketId: id,
          fromStatus: from,
          toStatus: status,
          actorId: principal.adminId,
          requestId: context.requestId,
          at,
          ...sealed,
        }),
    });
    await audit.record(tx, {
      action: 'support.tickets.update',
      ...adminActor(principal, context),
      target: { type: 'support_ticket', id: reference },
      before: { status: from },
      after: { status },
      ...(note !== undefined && { sealed: { after: { note } } }),
      ...(userId !== null && { sealedFor: userId }),
    });
  });
