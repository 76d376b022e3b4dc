import type { DeployTarget } from '../../adapters/ci/port.ts';

/** The only branch that is deployed. */
export const deployBranch = 'main';

/**
 * DISPATCHING is sent without a response yet, or its process died. DISPATCHED and REFUSED are the
 * CI system's responses. UNKNOWN is for a call whose outcome is unknown. A sweep decides triggers
 * that stay DISPATCHING or UNKNOWN: DISPATCHED with its run, or NOT_STARTED.
 */
export type TriggerStatus = 'DISPATCHING' | 'DISPATCHED' | 'REFUSED' | 'UNKNOWN' | 'NOT_STARTED';

/** Statuses of a trigger that is not decided yet. */
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
  /** Absent where the CI system does not say which run it is. */
  readonly run?: { readonly id: string; readonly url: string };
}
