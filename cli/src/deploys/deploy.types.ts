import { z } from 'zod';
import { deployTargets, type DeployTarget } from './deploy-targets.ts';

/** A run of a target's workflow, in the form of the admin API. */
export const deployRun = z.looseObject({
  id: z.string(),
  target: z.enum(deployTargets),
  workflow: z.string(),
  title: z.string(),
  /** The id of the dispatch that started it. Null if no dispatch did. */
  correlationId: z.string().nullable(),
  /** The status that the CI system reports. It is `completed` once the run has ended. */
  status: z.string(),
  /** The result that the CI system reports, such as `success`. Null until the run has ended. */
  conclusion: z.string().nullable(),
  branch: z.string().nullable(),
  event: z.string(),
  actor: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** The run's page, to open in a browser. */
  url: z.string(),
});
export type DeployRun = z.infer<typeof deployRun>;

/** A deployment that was started. */
export const deployment = z.looseObject({
  target: z.enum(deployTargets),
  workflow: z.string(),
  branch: z.string(),
  correlationId: z.string(),
  dispatchedAt: z.string(),
  /** Null if the CI system does not return it. */
  run: z.looseObject({ id: z.string(), url: z.string() }).nullable(),
});
export type Deployment = z.infer<typeof deployment>;

/** A triggered deployment whose outcome is not known yet. */
const undecidedDeployment = z.looseObject({
  correlationId: z.string(),
  target: z.enum(deployTargets),
  status: z.string(),
  dispatchedAt: z.string(),
});
export type UndecidedDeployment = z.infer<typeof undecidedDeployment>;

/** The runs as the admin API lists them, with the deployments that may have no run. */
export const runList = z.looseObject({
  items: z.array(deployRun),
  undecided: z.array(undecidedDeployment),
});

/** A deployment as it is printed. `run` has all fields if the command waited for the run. */
export const deploymentOutput = deployment.extend({
  run: z.union([deployRun, z.looseObject({ id: z.string(), url: z.string() }), z.null()]),
});

/** Runs as they are printed. `undecided` is absent if the CI system was queried directly. */
export const runsOutput = runList.partial({ undecided: true });

/**
 * Runs, newest first. Only the admin API keeps undecided deployments, so `undecided` is absent if the
 * CI system was queried directly.
 */
export interface RunList {
  readonly items: readonly DeployRun[];
  readonly undecided?: readonly UndecidedDeployment[];
}

/** A client of the CI system. It sends its requests to the admin API or to the CI system itself. */
export interface DeployCi {
  /** Starts a target's workflow. Does not retry, since a failed request may have started it. */
  trigger(target: DeployTarget): Promise<Deployment>;
  /** Returns `count` runs (1 to 100) of each target, or of the given target. */
  runs(target: DeployTarget | undefined, count: number): Promise<RunList>;
}
