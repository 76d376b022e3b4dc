import type { Logger } from '../../platform/observability/index.ts';
import type { Machine, TransitionTable } from '../../platform/transitions/transitions.ts';
import type { PlanStatus } from './plans.types.ts';

/** Every transition that a plan may make (contract: states > SIP plan). */
const planTransitions: TransitionTable<PlanStatus, 'customer' | 'worker'> = {
  ACTIVE: {
    CANCELLED: { allowedActors: ['customer'], reason: 'the customer ends the plan early' },
    COMPLETED: {
      allowedActors: ['worker'],
      reason: 'the last installment is raised, and none is under way',
    },
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
