import type { Db } from '../../platform/db/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { transition, type TransitionTable } from '../../platform/transitions/transitions.ts';
import { insertTicketEvent, type StoredTicket } from './support.store.ts';
import type { TicketStatus } from './support.types.ts';

/** Every transition of a ticket (contract: states > Support ticket). */
const ticketTransitions: TransitionTable<TicketStatus, 'admin' | 'customer'> = {
  OPEN: { IN_PROGRESS: { allowedActors: ['admin'], reason: 'an operator took it up' } },
  IN_PROGRESS: { RESOLVED: { allowedActors: ['admin'], reason: 'an operator answered it' } },
  RESOLVED: {
    IN_PROGRESS: {
      allowedActors: ['admin', 'customer'],
      reason: 'the answer was not enough, or the customer wrote again',
    },
    CLOSED: { allowedActors: ['admin'], reason: 'nothing is left to do' },
  },
  CLOSED: {},
};

interface TicketTransition {
  readonly to: TicketStatus;
  /** `admin:<id>`, `customer:<id>`. */
  readonly actor: string;
  readonly cause: string;
  readonly at: Date;
  /** The row of the history. The caller chooses its id, since an operator's note is sealed to it. */
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
 * Changes the state of a ticket that the transaction has locked, and writes the row of its history.
 * @throws AppError ILLEGAL_TRANSITION for what the table does not allow
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
