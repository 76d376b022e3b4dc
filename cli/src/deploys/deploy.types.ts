import { z } from 'zod';

/** The deployable targets; each has a workflow of its own. */
export const deployTargets = ['backend', 'website', 'admin-portal', 'monitoring'] as const;
export type DeployTarget = (typeof deployTargets)[number];

/** One run of a target's workflow, as the admin API and goldctl show it. */
export const deployRun = z.object({
  id: z.string(),
  target: z.enum(deployTargets),
  workflow: z.string(),
  title: z.string(),
  /** Of the dispatch that started it; null where nobody gave one. */
  correlationId: z.string().nullable(),
  /** The CI system's own word; `completed` is the end. */
  status: z.string(),
  /** The CI system's own word, such as `success`; null until the end. */
  conclusion: z.string().nullable(),
  branch: z.string().nullable(),
  event: z.string(),
  actor: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** For people. */
  url: z.string(),
});
export type DeployRun = z.infer<typeof deployRun>;

/** A deployment that was started. */
export const deployment = z.object({
  target: z.enum(deployTargets),
  workflow: z.string(),
  branch: z.string(),
  correlationId: z.string(),
  dispatchedAt: z.string(),
  /** Null where the CI system does not return it. */
  run: z.object({ id: z.string(), url: z.string() }).nullable(),
});
export type Deployment = z.infer<typeof deployment>;

/** A client of the CI system: through the admin API, or directly. */
export interface DeployCi {
  /** Starts a target's workflow, once. */
  trigger(target: DeployTarget): Promise<Deployment>;
  /** Returns the newest runs first: `count` (1 to 100) of each target, or of the one named. */
  runs(target: DeployTarget | undefined, count: number): Promise<readonly DeployRun[]>;
}
