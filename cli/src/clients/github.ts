import { randomUUID } from 'node:crypto';
import { Octokit } from '@octokit/rest';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { deployTargets, type DeployTarget } from '../deploys/deploy-targets.ts';
import type { DeployCi, DeployRun } from '../deploys/deploy.types.ts';
import { githubFailure, readGithubPlace, type GithubPlace } from './github-connection.ts';

const requestTimeoutMs = 15_000;
const deployBranch = 'main';

/** A deleted account is null, or has no name. */
const account = z.object({ login: z.string().nullish() }).nullish().catch(undefined);
const optionalText = z.string().nullish().catch(undefined);
const time = z.iso.datetime({ offset: true });
/** A number beyond what JavaScript counts exactly comes as text from some servers. */
const runId = z.union([z.int(), z.string().regex(/^\d+$/u)]);

const runList = z.object({ workflow_runs: z.array(z.unknown()) });

/** The fields that the service's own adapter reads: all but its id and time may be missing. */
const listedRun = z.object({
  id: runId,
  name: optionalText,
  display_title: optionalText,
  status: optionalText,
  conclusion: optionalText,
  head_branch: optionalText,
  event: optionalText,
  html_url: optionalText,
  created_at: time,
  updated_at: time.nullish().catch(undefined),
  actor: account,
  triggering_actor: account,
});
type ListedRun = z.infer<typeof listedRun>;

/** Reads each run of a list by itself: one that can't be read must not hide the others. */
const readRuns = (rows: readonly unknown[]): ListedRun[] =>
  rows.flatMap((row) => {
    const run = listedRun.safeParse(row);
    return run.success ? [run.data] : [];
  });

/** A GitHub server of an older version returns nothing for a dispatch. */
const dispatched = z.object({ workflow_run_id: runId, html_url: z.string() });

const workflowOf = (target: DeployTarget): string => `deploy-${target}.yml`;

/** The workflows' `run-name` ends with the correlation id. */
const correlationForm = /\(([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\)$/u;

const toRun = (target: DeployTarget, run: ListedRun): DeployRun => {
  // `display_title` is newer than `name`, which older servers fill in the same way.
  const title = (run.display_title ?? run.name ?? '') || workflowOf(target);
  return {
    id: String(run.id),
    target,
    workflow: workflowOf(target),
    title,
    correlationId: correlationForm.exec(title)?.[1] ?? null,
    status: run.status ?? 'unknown',
    conclusion: run.conclusion ?? null,
    branch: run.head_branch ?? null,
    event: run.event ?? 'unknown',
    actor: run.triggering_actor?.login ?? run.actor?.login ?? null,
    createdAt: new Date(run.created_at).toISOString(),
    updatedAt: new Date(run.updated_at ?? run.created_at).toISOString(),
    url: run.html_url ?? '',
  };
};

const silent = (): void => {};

const createOctokit = ({ apiUrl, token }: GithubPlace, signal: AbortSignal): Octokit => {
  const octokit = new Octokit({
    auth: token,
    baseUrl: apiUrl,
    userAgent: 'goldctl',
    // Left out, it would write warnings to the console.
    log: { debug: silent, info: silent, warn: silent, error: silent },
    // A redirect would carry the token elsewhere.
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
 * Creates a client of the CI system's own API, for when the admin API can't be used.
 * @throws CliError denied without a token, usage (github-config).
 */
export const createGithubCi = (deps: Pick<CliDeps, 'env' | 'now' | 'signal'>): DeployCi => {
  const place = readGithubPlace(deps.env);
  const { actions } = createOctokit(place, deps.signal).rest;
  const at = (target: DeployTarget) => ({
    owner: place.owner,
    repo: place.repositoryOf(target),
    workflow_id: workflowOf(target),
  });
  const runsOf = async (target: DeployTarget, count: number): Promise<DeployRun[]> => {
    try {
      const answer = await actions.listWorkflowRuns({ ...at(target), per_page: count });
      const { workflow_runs: rows } = parsed(runList, answer.data);
      return readRuns(rows).map((run) => toRun(target, run));
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
      const asked = {
        ...at(target),
        ref: deployBranch,
        inputs: { correlation_id: correlationId },
        return_run_details: true,
      };
      try {
        const answer = await actions.createWorkflowDispatch(asked);
        const run = dispatched.safeParse(answer.data).data;
        return {
          target,
          workflow: workflowOf(target),
          branch: deployBranch,
          correlationId,
          dispatchedAt,
          run: run === undefined ? null : { id: String(run.workflow_run_id), url: run.html_url },
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
