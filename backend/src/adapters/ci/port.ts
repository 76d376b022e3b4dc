import type { Outcome } from '../../platform/outcome/outcome.ts';

/** The CI system looked at the request and said no; its words are in the message. */
export const CI_REFUSED = 'CI_REFUSED';

/** What can be deployed; each has a workflow of its own. */
export const deployTargets = ['backend', 'website', 'admin-portal', 'monitoring'] as const;
export type DeployTarget = (typeof deployTargets)[number];

/** One run of a target's workflow. */
export interface CiRun {
  readonly id: string;
  readonly target: DeployTarget;
  /** The workflow's file, such as `deploy-backend.yml`. */
  readonly workflow: string;
  readonly title: string;
  /** Of the dispatch that started it, where its title tells. */
  readonly correlationId?: string;
  /** The CI system's own word: `completed` at the end, before it such as `queued`, `in_progress`. */
  readonly status: string;
  /** The CI system's own word, such as `success` or `failure`; only of a completed run. */
  readonly conclusion?: string;
  readonly branch?: string;
  /** What started it, such as `workflow_dispatch`. */
  readonly event: string;
  /** The login of whoever started it. */
  readonly actor?: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** For people. */
  readonly url: string;
}

export interface ListRuns {
  readonly target: DeployTarget;
  /** 1 to 100. */
  readonly count: number;
}

export interface Dispatch {
  readonly target: DeployTarget;
  readonly branch: string;
  /** Ours, a UUID: the run carries it in its title. */
  readonly correlationId: string;
}

/** What was started; no run where the CI system does not tell which. */
export interface Dispatched {
  readonly run?: { readonly id: string; readonly url: string };
}

/**
 * A CI system. Methods never throw for what the network or the CI system does: that is the
 * outcome. Refusals carry the code above or one of platform/http-client/transport-refusals.ts
 * (`isUnavailable` tells the latter); all of them mean that nothing was started.
 */
export interface Ci {
  readonly code: string;
  /** The workflow that deploys a target. */
  workflowOf(target: DeployTarget): string;
  /** The newest runs of a target's workflow, newest first. */
  listRuns(asked: ListRuns): Promise<Outcome<readonly CiRun[]>>;
  /**
   * Starts a target's workflow once; never repeated here. After an unknown outcome the run, if
   * there is one, is found among `listRuns` by its correlation id, some seconds later.
   */
  dispatch(asked: Dispatch): Promise<Outcome<Dispatched>>;
}
