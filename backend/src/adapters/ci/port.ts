import type { Outcome } from '../../platform/outcome/outcome.ts';

/** The CI system refused the request. Its own message is in ours. */
export const CI_REFUSED = 'CI_REFUSED';

/** The deployable targets. Each has a workflow of its own. */
export const deployTargets = ['backend', 'website', 'admin-portal', 'monitoring'] as const;
export type DeployTarget = (typeof deployTargets)[number];

/** One run of a target's workflow. */
export interface CiRun {
  readonly id: string;
  readonly target: DeployTarget;
  /** The workflow's file, such as `deploy-backend.yml`. */
  readonly workflow: string;
  readonly title: string;
  /** The id of the dispatch that started it. Absent if the title shows none. */
  readonly correlationId?: string;
  /** In the CI system's own terms: `completed` at the end, before it `queued` or `in_progress`. */
  readonly status: string;
  /** In the CI system's own terms, such as `success` or `failure`. Only a completed run has one. */
  readonly conclusion?: string;
  readonly branch?: string;
  /** The event that started it, such as `workflow_dispatch`. */
  readonly event: string;
  /** The login of the user who started it. */
  readonly actor?: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** For people. */
  readonly url: string;
}

/** One page of runs, newest first. */
export interface CiRunPage {
  readonly runs: readonly CiRun[];
  /** The number of runs that can't be read. Any of them may be the wanted run. */
  readonly unread: number;
  readonly hasMore: boolean;
}

interface ListRuns {
  readonly target: DeployTarget;
  /** 1 to 100. */
  readonly count: number;
  /** From 1, the newest. The default is 1. */
  readonly page?: number;
  /** Runs that were made before it are left out. */
  readonly since?: Date;
}

interface Dispatch {
  readonly target: DeployTarget;
  readonly branch: string;
  /** Ours, a UUID: the run carries it in its title. */
  readonly correlationId: string;
}

/** The run that a dispatch started, if the CI system names it. */
export interface Dispatched {
  readonly run?: { readonly id: string; readonly url: string };
}

/**
 * A CI system. Methods never throw for what the network or the CI system does: that is the outcome.
 * Refusals carry the code above or one of platform/http-client/create-call-guard.ts
 * (`isUnavailable` recognizes the latter). All of them mean that nothing was started.
 */
export interface Ci {
  readonly code: string;
  /** Returns the workflow that deploys a target. */
  workflowOf(target: DeployTarget): string;
  /** Returns the newest runs of a target's workflow, newest first. */
  listRuns(query: ListRuns): Promise<Outcome<CiRunPage>>;
  /**
   * Starts a target's workflow once. The call is never repeated here. After an unknown outcome the
   * run, if there is one, is found among `listRuns` by its correlation id, some seconds later.
   */
  dispatch(request: Dispatch): Promise<Outcome<Dispatched>>;
}
