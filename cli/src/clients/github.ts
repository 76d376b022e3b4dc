import { randomUUID } from 'node:crypto';
import {
  dispatchedRun,
  dispatchOf,
  runList,
  toRun,
  workflowOf,
  workflowRun,
  type CiRun,
  type WorkflowRun,
} from '@digital-gold/backend/github';
import { Octokit } from '@octokit/rest';
import type { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { deployTargets, type DeployTarget } from '../deploys/deploy-targets.ts';
import type { DeployCi, DeployRun } from '../deploys/deploy.types.ts';
import { githubFailure, readGithubConnection, type GithubConnection } from './github-connection.ts';

const requestTimeoutMs = 15_000;
const deployBranch = 'main';

/** Reads each run of a list separately, so that an unreadable run does not hide the others. */
const readRuns = (rows: readonly unknown[]): WorkflowRun[] =>
  rows.flatMap((row) => {
    const run = workflowRun.safeParse(row);
    return run.success ? [run.data] : [];
  });

/** Converts a run to the form of the admin API. */
const toDeployRun = (run: CiRun): DeployRun => ({
  ...run,
  correlationId: run.correlationId ?? null,
  conclusion: run.conclusion ?? null,
  branch: run.branch ?? null,
  actor: run.actor ?? null,
  createdAt: run.createdAt.toISOString(),
  updatedAt: run.updatedAt.toISOString(),
});

const logNothing = (): void => {};

const createOctokit = ({ apiUrl, token }: GithubConnection, signal: AbortSignal): Octokit => {
  const octokit = new Octokit({
    auth: token,
    baseUrl: apiUrl,
    userAgent: 'goldctl',
    // By default Octokit would write warnings to the console.
    log: { debug: logNothing, info: logNothing, warn: logNothing, error: logNothing },
    // A redirect could send the token to another host.
    request: { redirect: 'error' },
  });
  octokit.hook.before('request', (options) => {
    options.request.signal = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]);
  });
  return octokit;
};

const parsed = <T>(schema: z.ZodType<T>, value: unknown): T => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new CliError('GitHub returned an unexpected response', exitCodes.failed);
};

/**
 * Creates a client of the CI system's own API, which is needed if the admin API can't be used.
 * @throws CliError denied without a token, usage for a value that is not valid
 */
export const createGithubCi = (deps: Pick<CliDeps, 'env' | 'now' | 'signal'>): DeployCi => {
  const connection = readGithubConnection(deps.env);
  const { actions } = createOctokit(connection, deps.signal).rest;
  const workflowParams = (target: DeployTarget) => ({
    owner: connection.owner,
    repo: connection.repositoryOf(target),
    workflow_id: workflowOf(target),
  });
  const runsOf = async (target: DeployTarget, count: number): Promise<DeployRun[]> => {
    try {
      const answer = await actions.listWorkflowRuns({
        ...workflowParams(target),
        per_page: count,
      });
      const { workflow_runs: rows } = parsed(runList, answer.data);
      return readRuns(rows).map((run) => toDeployRun(toRun(target, run)));
    } catch (error) {
      throw githubFailure(error, {
        purpose: `list the runs of ${target}`,
        signal: deps.signal,
        silenceHint: 'Check GITHUB_API_URL.',
      });
    }
  };
  return {
    trigger: async (target) => {
      const correlationId = randomUUID();
      const dispatchedAt = deps.now().toISOString();
      const request = {
        ...workflowParams(target),
        ...dispatchOf(deployBranch, correlationId),
      };
      try {
        const answer = await actions.createWorkflowDispatch(request);
        const run = dispatchedRun.safeParse(answer.data).data;
        return {
          target,
          workflow: workflowOf(target),
          branch: deployBranch,
          correlationId,
          dispatchedAt,
          run: run === undefined ? null : { id: run.workflow_run_id, url: run.html_url ?? '' },
        };
      } catch (error) {
        throw githubFailure(error, {
          purpose: `start the deployment of ${target}`,
          signal: deps.signal,
          silenceHint:
            'It may have started: check "goldctl deploy runs --direct" before you try again.',
        });
      }
    },
    runs: async (target, count) => {
      const targets = target === undefined ? deployTargets : [target];
      const runs = await Promise.all(targets.map((each) => runsOf(each, count)));
      return { items: runs.flat().toSorted((a, b) => b.createdAt.localeCompare(a.createdAt)) };
    },
  };
};
