import type { Outcome } from '../../platform/outcome/outcome.ts';

/** The CI system refused the request. The refusal's message contains the CI system's message. */
export const CI_REFUSED = 'CI_REFUSED';

/** The deployable targets. Each target has a separate workflow. */
export const deployTargets = ['backend', 'website', 'admin-portal', 'monitoring'] as const;
export type DeployTarget = (typeof deployTargets)[number];

/** One run of a target's workflow. */
export interface CiRun {
  readonly id: string;
  readonly target: DeployTarget;
  /** The workflow's file, such as `deploy-backend.yml`. */
  readonly workflow: string;
  readonly title: string;
  /** The id of the dispatch that started the run. Absent if the title has no id. */
  readonly correlationId?: string;
  /** The CI system's status, such as `queued` or `in_progress`. It is `completed` at the end. */
  readonly status: string;
  /** The CI system's conclusion, such as `success` or `failure`. Absent until the run is completed. */
  readonly conclusion?: string;
  readonly branch?: string;
  /** The event that started the run, such as `workflow_dispatch`. */
  readonly event: string;
  /** The login of the user who started the run. */
  readonly actor?: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** The address of the run's page. */
  readonly url: string;
}

/** One page of runs, newest first. */
export interface CiRunPage {
  readonly runs: readonly CiRun[];
  /** The number of runs that can't be read. Any of them may be the wanted run. */
  readonly unreadable: number;
  readonly hasMore: boolean;
}

interface ListRuns {
  readonly target: DeployTarget;
  /** The number of runs of a page, from 1 to 100. */
  readonly count: number;
  /** The number of the page, from 1. The default is 1. */
  readonly page?: number;
  /** Runs that were created before this time are left out. */
  readonly since?: Date;
}

interface Dispatch {
  readonly target: DeployTarget;
  readonly branch: string;
  /** A UUID of this service, which the run has in its title. */
  readonly correlationId: string;
}

/** The run that a dispatch started, if the CI system names it. */
export interface Dispatched {
  readonly run?: { readonly id: string; readonly url: string };
}

/**
 * A CI system. Methods return every failure of the network or the CI system as an outcome, and do not
 * throw it. A refusal has the code `CI_REFUSED`, or a code of
 * platform/http-client/create-call-guard.ts, which `isUnavailable` recognises. Every refusal means
 * that no run was started.
 */
export interface Ci {
  /** The CI system's name, such as `github`. */
  readonly code: string;
  /** Returns the workflow that deploys a target. */
  workflowOf(target: DeployTarget): string;
  /** Returns a page of the runs of a target's workflow, newest first. */
  listRuns(query: ListRuns): Promise<Outcome<CiRunPage>>;
  /**
   * Starts a target's workflow once. The adapter never repeats the call. After an unknown outcome, the
   * caller looks for the run in `listRuns` by its correlation id, some seconds later.
   */
  dispatch(request: Dispatch): Promise<Outcome<Dispatched>>;
}
