import { z } from 'zod';
import { deployTargets, type CiRun } from '../../adapters/ci/port.ts';
import { exampleOf, pageQuery } from '../../platform/http/index.ts';
import {
  deployBranch,
  undecidedStatuses,
  type Deployment,
  type UndecidedTrigger,
} from './ci.types.ts';

const target = z.enum(deployTargets);

export const runsQuery = z.object({
  target: target.optional(),
  /** The number of runs of each target. */
  per_page: pageQuery.shape.limit,
});

/** A run. `status` and `conclusion` are terms of the CI system. The status `completed` is final. */
export const runView = z.object({
  id: z.string(),
  target,
  workflow: z.string(),
  title: z.string(),
  correlationId: z.string().nullable(),
  status: z.string(),
  conclusion: z.string().nullable(),
  branch: z.string().nullable(),
  event: z.string(),
  actor: z.string().nullable(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  url: z.string(),
});
runView.register(z.globalRegistry, {
  id: 'CiRun',
  description: 'One run of a deployment workflow.',
  examples: [
    {
      id: '1001',
      target: 'backend',
      workflow: 'deploy-backend.yml',
      title: 'Deploy backend 0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      correlationId: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      status: 'completed',
      conclusion: 'success',
      branch: deployBranch,
      event: 'workflow_dispatch',
      actor: 'octocat',
      createdAt: '2026-01-15T09:30:00.000Z',
      updatedAt: '2026-01-15T09:34:00.000Z',
      url: 'https://ci.example.test/runs/1001',
    },
  ],
});

/** A deployment whose run a sweep still searches by its `correlationId`. */
const undecidedView = z.object({
  correlationId: z.uuid(),
  target,
  status: z.enum(undecidedStatuses),
  dispatchedAt: z.iso.datetime(),
});
undecidedView.register(z.globalRegistry, {
  id: 'UndecidedDeployment',
  description: 'A triggered deployment whose outcome is not known yet.',
  examples: [
    {
      correlationId: '0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e01',
      target: 'website',
      status: 'UNKNOWN',
      dispatchedAt: '2026-01-15T09:30:00.000Z',
    },
  ],
});

export const runsView = z.object({
  items: z.array(runView),
  undecided: z.array(undecidedView),
});
runsView.register(z.globalRegistry, {
  id: 'CiRuns',
  description: 'The newest runs, and the triggered deployments that may or may not have started.',
  examples: [{ items: [exampleOf(runView)], undecided: [exampleOf(undecidedView)] }],
});

export const deployBody = z.object({ target });
deployBody.register(z.globalRegistry, { id: 'DeployRequest', examples: [{ target: 'backend' }] });

/** A deployment. `run` is null if the CI system did not name it. Clients find it by `correlationId`. */
export const deploymentView = z.object({
  correlationId: z.uuid(),
  target,
  workflow: z.string(),
  branch: z.literal(deployBranch),
  dispatchedAt: z.iso.datetime(),
  run: z.object({ id: z.string(), url: z.string() }).nullable(),
});
deploymentView.register(z.globalRegistry, {
  id: 'Deployment',
  description: 'A deployment that was triggered.',
  examples: [
    {
      correlationId: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      target: 'backend',
      workflow: 'deploy-backend.yml',
      branch: deployBranch,
      dispatchedAt: '2026-01-15T09:30:00.000Z',
      run: { id: '1001', url: 'https://ci.example.test/runs/1001' },
    },
  ],
});

export const presentRun = (run: CiRun): z.input<typeof runView> => ({
  ...run,
  correlationId: run.correlationId ?? null,
  conclusion: run.conclusion ?? null,
  branch: run.branch ?? null,
  actor: run.actor ?? null,
  createdAt: run.createdAt.toISOString(),
  updatedAt: run.updatedAt.toISOString(),
});

export const presentDeployment = (deployment: Deployment): z.input<typeof deploymentView> => ({
  correlationId: deployment.correlationId,
  target: deployment.target,
  workflow: deployment.workflow,
  branch: deployBranch,
  dispatchedAt: deployment.dispatchedAt.toISOString(),
  run: deployment.run ?? null,
});

export const presentUndecided = ({
  id,
  at,
  ...trigger
}: UndecidedTrigger): z.input<typeof undecidedView> => ({
  correlationId: id,
  target: trigger.target,
  status: trigger.status,
  dispatchedAt: at.toISOString(),
});
