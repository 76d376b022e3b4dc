import type { Logger } from '../../platform/observability/index.ts';
import { transition, type TransitionTable } from '../../platform/transitions/transitions.ts';
import type { Plan, PlanStatus } from './plans.types.ts';

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
      reason: 'every installment is raised, and none is in progress',
    },
  },
  PAUSED: {
    ACTIVE: { allowedActors: ['customer'], reason: 'the customer resumes the plan' },
    CANCELLED: { allowedActors: ['customer'], reason: 'the customer ends the plan early' },
  },
  CANCELLED: {},
  COMPLETED: {},
};

interface PlanTransition {
  readonly to: PlanStatus;
  /** The actor of the transition: `customer:<id>` or `worker`. */
  readonly actor: string;
  readonly cause: string;
  /**
   * Updates the plan if its state has not changed since it was read, and returns the number of
   * changed rows.
   */
  readonly update: () => Promise<number>;
}

/**
 * Changes the state of a plan that the transaction has locked. No other function changes the state of
 * a plan.
 * @throws AppError ILLEGAL_TRANSITION if the table does not allow the transition
 */
export const transitionPlan = (
  { logger }: { readonly logger: Pick<Logger, 'info' | 'error'> },
  { id, status: from }: Pick<Plan, 'id' | 'status'>,
  { to, actor, cause, update }: PlanTransition,
): Promise<void> => {
  const machine = { name: 'SIP plan', idField: 'planId', table: planTransitions, logger };
  return transition(machine, { id, from, to, actor, cause, update });
};
