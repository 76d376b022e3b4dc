import type { Logger } from '../../platform/observability/index.ts';
import type { Machine, TransitionTable } from '../../platform/transitions/transitions.ts';
import type { PlanStatus } from './plans.types.ts';

/** Every transition that a plan may make (contract: states > SIP plan). */
const planTransitions: TransitionTable<PlanStatus, 'customer' | 'worker'> = {
  ACTIVE: {
    PAUSED: {
      allowedActors: ['customer'],
      reason: 'the customer wants no installment for a while',
    },
    CANCELLED: { allowedActors: ['customer'], reason: 'the customer ends the plan early' },
    COMPLETED: {
      allowedActors: ['worker'],
      reason: 'the last installment is raised, and none is under way',
    },
  },
  PAUSED: {
    ACTIVE: { allowedActors: ['customer'], reason: 'the customer goes on with the plan' },
    CANCELLED: { allowedActors: ['customer'], reason: 'the customer ends the plan early' },
  },
  CANCELLED: {},
  COMPLETED: {},
};

export const planMachine = (logger: Pick<Logger, 'info' | 'error'>): Machine<PlanStatus> => ({
  name: 'SIP plan',
  idField: 'planId',
  table: planTransitions,
  logger,
});
