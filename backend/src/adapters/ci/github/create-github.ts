import type { Octokit } from '@octokit/rest';
import { z } from 'zod';
import {
  textOrDigits,
  createHttpClient,
  readAnswer,
  type HttpClient,
  type HttpResponse,
} from '../../../platform/http-client/index.ts';
import { done, mapDone, refused, type Outcome } from '../../../platform/outcome/outcome.ts';
import { ConfigError } from '../../../platform/config/config.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { createRowReader, type RowReader, type RowRules } from '../../read-rows.ts';
import { CI_REFUSED, type Ci, type CiRun, type CiRunPage, type DeployTarget } from '../port.ts';
import type { GithubConfig } from './github.config.ts';

type Actions = Octokit['rest']['actions'];

interface Manner {
  /** The call's name in logs and metrics. */
  readonly operation: string;
  /** True for a call that may be repeated. */
  readonly safe: boolean;
}

/** The part of Octokit's `fetch` arguments that we read. */
interface OctokitRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Returns the options to spread into one of Octokit's calls. */
interface Carried {
  readonly request: { readonly fetch: (url: string, made: OctokitRequest) => Promise<Response> };
}

const silent = (): void => {};

/** Loads Octokit at the first call: a process that is never asked about a deployment has none. */
const openOctokit = async (apiUrl: string): Promise<Octokit> => {
  const { Octokit } = await import('@octokit/rest');
  return new Octokit({
    baseUrl: apiUrl,
    userAgent: 'digital-gold-service',
    // Left out, it would write warnings to the console.
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
};

/** Sends one of Octokit's calls. */
type OctokitCall = (
  manner: Manner,
  ask: (actions: Actions, carried: Carried) => Promise<unknown>,
) => Promise<Outcome<HttpResponse>>;

/**
 * Octokit writes the request (path, query, body, headers) and our own client sends it, with its
 * limits, circuit and metrics. The answer is kept from Octokit, which knows two outcomes and no
 * third, and would put addresses into its errors; nor is it given the token, which is the client's.
 */
const createOctokitCall = (client: HttpClient, apiUrl: string): OctokitCall => {
  let opened: Promise<Octokit> | undefined;
  return async ({ operation, safe }, ask) => {
    const outcomes: Outcome<HttpResponse>[] = [];
    const fetch: Carried['request']['fetch'] = async (url, { method, headers, body }) => {
      const contentType = headers['content-type'] ?? 'application/json';
      const outcome = await client.request({
        operation,
        method,
        path: url.slice(apiUrl.length),
        headers,
        ...(body !== undefined && { body: { bytes: body, contentType } }),
        safe,
      });
      outcomes.push(outcome);
      return new Response(null, { status: 204 });
    };
    const octokit = await (opened ??= openOctokit(apiUrl));
    await ask(octokit.rest.actions, { request: { fetch } });
    const [outcome] = outcomes;
    if (outcome === undefined) throw new Error(`Octokit sent nothing for ${operation}`);
    return outcome;
  };
};

/*
 * GitHub's REST API, version 2022-11-28: docs.github.com/rest/actions/workflow-runs ("List workflow
 * runs for a workflow") and docs.github.com/rest/actions/workflows ("Create a workflow dispatch
 * event"; `return_run_details` since February 2026).
 */

/** A deleted account is null, or has no name. */
const account = z.object({ login: z.string().nullish() }).nullish().catch(undefined);
const optionalText = z.string().nullish().catch(undefined);
const time = z.iso.datetime({ offset: true });

/** One of `workflow_runs`; only what is read. All but its id and times may be missing. */
const workflowRun = z.object({
  id: textOrDigits,
  name: optionalText,
  /** The workflow's `run-name`, with its values filled in. */
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

type WorkflowRun = z.output<typeof workflowRun>;

/** The name of a workflow's file, from the `path` of a run: `.github/workflows/a.yml@main`. */
const workflowIn = (path: unknown): unknown =>
  typeof path === 'string' ? /([^/@]+)(?:@.*)?$/u.exec(path)?.[1] : undefined;

/** The runs of a target's workflow. */
const runRows = (target: DeployTarget): RowRules<WorkflowRun> => ({
  about: { id: workflowOf(target), idOf: ({ path }) => workflowIn(path) },
  schema: workflowRun,
});

const runList = z.object({ workflow_runs: z.array(z.unknown()) });

/** The 200 of a dispatch that requested the run's details. */
const dispatchedRun = z.object({ workflow_run_id: textOrDigits, html_url: optionalText });

const errorAnswer = z.object({ message: z.string() });

const apiVersion = '2022-11-28';
/** A page of 100 runs repeats the repository in each of them. */
const maxResponseBytes = 8 * 1024 * 1024;

const workflowOf = (target: DeployTarget): string => `deploy-${target}.yml`;

/** The workflows' `run-name` ends so. */
const correlationId = /\(([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\)$/u;

const given = <K extends string>(name: K, value: string | null | undefined) =>
  // A computed name widens to an index signature. It is this one name.
  (typeof value === 'string' && value !== '' ? { [name]: value } : {}) as Partial<
    Record<K, string>
  >;

const toRun = (target: DeployTarget, run: WorkflowRun): CiRun => {
  // `display_title` is newer than `name`, which older servers fill in the same way.
  const title = (run.display_title ?? run.name ?? '') || workflowOf(target);
  const createdAt = new Date(run.created_at);
  return {
    id: run.id,
    target,
    workflow: workflowOf(target),
    title,
    ...given('correlationId', correlationId.exec(title)?.[1]),
    status: run.status ?? 'unknown',
    ...given('conclusion', run.conclusion),
    ...given('branch', run.head_branch),
    event: run.event ?? 'unknown',
    ...given('actor', run.triggering_actor?.login ?? run.actor?.login),
    createdAt,
    updatedAt: typeof run.updated_at === 'string' ? new Date(run.updated_at) : createdAt,
    url: run.html_url ?? '',
  };
};

const toPage = (
  readRows: RowReader,
  { workflow_runs: listed }: z.output<typeof runList>,
  { target, count }: { readonly target: DeployTarget; readonly count: number },
): CiRunPage => {
  const { rows, unread } = readRows('list-runs', listed, runRows(target));
  const runs = rows.map((run) => toRun(target, run));
  return { runs, unread, hasMore: listed.length >= count };
};

/** Reads a refusal of GitHub's, a moved repository among them: redirects are not followed. */
const readRefusal = ({ status, json }: HttpResponse): Outcome<never> | undefined => {
  const error = errorAnswer.safeParse(json);
  if (!error.success) return undefined;
  return refused(CI_REFUSED, `${status}: ${error.data.message.slice(0, 200)}`);
};

/**
 * Creates GitHub Actions as the CI system; returns undefined without a token.
 * @throws ConfigError where there is a token, but not where to use it
 */
export const createGithub = (
  config: GithubConfig,
  deps: AdapterDeps,
): (Ci & Closable) | undefined => {
  const { GITHUB_TOKEN: token, GITHUB_OWNER: owner, GITHUB_REPOSITORY: repositories } = config;
  if (token === undefined) return undefined;
  if (owner === undefined) throw new ConfigError('GITHUB_OWNER: is needed with GITHUB_TOKEN');
  if (repositories === undefined) {
    throw new ConfigError('GITHUB_REPOSITORY: is needed with GITHUB_TOKEN');
  }
  const client = createHttpClient({
    ...deps,
    name: 'github',
    baseUrl: config.GITHUB_API_URL,
    timeoutMs: config.GITHUB_TIMEOUT_MS,
    headers: { authorization: `Bearer ${token}`, 'x-github-api-version': apiVersion },
    maxResponseBytes,
  });
  const readRows = createRowReader('github', deps);
  const call = createOctokitCall(client, config.GITHUB_API_URL);
  const place = (target: DeployTarget) => ({
    owner,
    repo: repositories[target],
    workflow_id: workflowOf(target),
  });

  return {
    code: 'github',
    workflowOf,

    async listRuns({ target, count, page, since }) {
      const sent = await call({ operation: 'list-runs', safe: true }, (actions, carried) =>
        actions.listWorkflowRuns({
          ...place(target),
          per_page: count,
          ...(page !== undefined && { page }),
          ...(since !== undefined && { created: `>=${since.toISOString().slice(0, 19)}Z` }),
          ...carried,
        }),
      );
      if (sent.kind !== 'done') return sent;
      const read = readAnswer(sent.value, runList, readRefusal);
      return mapDone(read, (listed) => toPage(readRows, listed, { target, count }));
    },

    async dispatch({ target, branch, correlationId: id }) {
      // A repeat would be a second deployment.
      const sent = await call({ operation: 'dispatch', safe: false }, (actions, carried) =>
        actions.createWorkflowDispatch({
          ...place(target),
          ref: branch,
          inputs: { correlation_id: id },
          return_run_details: true,
          ...carried,
        }),
      );
      if (sent.kind !== 'done') return sent;
      // An older server does not name the run: its response is empty.
      if (sent.value.status === 204) return done({});
      const read = readAnswer(sent.value, dispatchedRun, readRefusal);
      return mapDone(read, (run) => ({
        run: { id: run.workflow_run_id, url: run.html_url ?? '' },
      }));
    },

    close: () => client.close(),
  };
};
