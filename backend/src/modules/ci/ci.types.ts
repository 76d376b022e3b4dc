import type { DeployTarget } from '../../adapters/ci/port.ts';

/** The only branch that is deployed. */
export const deployBranch = 'main';

/** Within so long of a trigger there is no other, in real time (interface, Limits). */
export const deployLockMs = 60_000;

/**
 * What became of a trigger: on its way (or its process died), accepted by the CI system, turned
 * away by it, or nobody can say.
 */
export const triggerStatuses = ['DISPATCHING', 'DISPATCHED', 'REFUSED', 'UNKNOWN'] as const;
export type TriggerStatus = (typeof triggerStatuses)[number];

/** A deployment that the CI system has accepted. */
export interface Deployment {
  readonly correlationId: string;
  readonly target: DeployTarget;
  readonly workflow: string;
  readonly dispatchedAt: Date;
  /** Unknown where the CI system does not tell which run it is. */
  readonly run?: { readonly id: string; readonly url: string };
}
