import type { DeployTarget } from '../../adapters/ci/port.ts';

/** The only branch that can be deployed. */
export const deployBranch = 'main';

/**
 * The status of a trigger. A trigger is DISPATCHING until its call has an outcome, and stays so if
 * its process dies. DISPATCHED and REFUSED are responses of the CI system, and UNKNOWN means that
 * the outcome is unknown. A sweep changes DISPATCHING and UNKNOWN to DISPATCHED if it finds the
 * run, or to NOT_STARTED.
 */
export type TriggerStatus = 'DISPATCHING' | 'DISPATCHED' | 'REFUSED' | 'UNKNOWN' | 'NOT_STARTED';

/** The statuses of a trigger that is not decided yet. */
export const undecidedStatuses = ['DISPATCHING', 'UNKNOWN'] as const;

/** A trigger whose outcome is not known yet. */
export interface UndecidedTrigger {
  readonly id: string;
  readonly target: DeployTarget;
  readonly status: (typeof undecidedStatuses)[number];
  readonly at: Date;
}

/** A deployment that the CI system has accepted. */
export interface Deployment {
  readonly correlationId: string;
  readonly target: DeployTarget;
  readonly workflow: string;
  readonly dispatchedAt: Date;
  /** The run, if the CI system named it. */
  readonly run?: { readonly id: string; readonly url: string };
}
