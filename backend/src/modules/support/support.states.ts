import type { Logger } from '../../platform/observability/index.ts';
import type { Machine, TransitionTable } from '../../platform/transitions/transitions.ts';
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

export const ticketMachine = (logger: Pick<Logger, 'info' | 'error'>): Machine<TicketStatus> => ({
  name: 'support ticket',
  idField: 'ticketId',
  table: ticketTransitions,
  logger,
});
