import type { Db } from '../../platform/db/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { transition, type TransitionTable } from '../../platform/transitions/transitions.ts';
import { insertTicketEvent, type StoredTicket } from './support.store.ts';
import type { TicketStatus } from './support.types.ts';

/** Every transition that a ticket may make (contract: states > Support ticket). */
const ticketTransitions: TransitionTable<TicketStatus, 'admin' | 'customer'> = {
  OPEN: { IN_PROGRESS: { allowedActors: ['admin'], reason: 'an operator started to work on it' } },
  IN_PROGRESS: {
    RESOLVED: { allowedActors: ['admin'], reason: 'an operator resolved the ticket' },
  },
  RESOLVED: {
    IN_PROGRESS: {
      allowedActors: ['admin', 'customer'],
      reason: 'the answer was not enough, or the customer wrote again',
    },
    CLOSED: { allowedActors: ['admin'], reason: 'an operator closed the ticket' },
  },
  CLOSED: {},
};

interface TicketTransition {
  readonly to: TicketStatus;
  /** The actor of the transition: `admin:<id>` or `customer:<id>`. */
  readonly actor: string;
  readonly cause: string;
  readonly at: Date;
  /** The row of the history. The caller chooses its id, because the sealed note is bound to the id. */
  readonly event: {
    readonly id: string;
    /** The operator, or null for the customer. */
    readonly actorId: string | null;
    readonly requestId: string;
    readonly noteSealed?: string;
    readonly purgeAfter?: Date | null;
  };
}

/**
 * Changes the state of a ticket that the transaction has locked, and inserts the row of its history.
 * @throws AppError ILLEGAL_TRANSITION if the table does not allow the transition
 */
export const transitionTicket = (
  { logger }: { readonly logger: Pick<Logger, 'info' | 'error'> },
  tx: Db,
  { id, status: from }: Pick<StoredTicket, 'id' | 'status'>,
  { to, actor, cause, at, event }: TicketTransition,
): Promise<void> => {
  const machine = { name: 'support ticket', idField: 'ticketId', table: ticketTransitions, logger };
  return transition(machine, {
    id,
    from,
    to,
    actor,
    cause,
    update: async () => {
      const { count } = await tx.supportTicket.updateMany({
        where: { id, status: from },
        data: { status: to, updatedAt: at },
      });
      return count;
    },
    recordHistory: () =>
      insertTicketEvent(tx, { ...event, ticketId: id, fromStatus: from, toStatus: to, at }),
  });
};
