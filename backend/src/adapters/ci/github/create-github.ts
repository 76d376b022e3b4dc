import type { Octokit } from '@octokit/rest';
import type { z } from 'zod';
import {
  createHttpClient,
  readAnswer,
  type HttpClient,
  type HttpResponse,
} from '../../../platform/http-client/index.ts';
import { done, mapDone, refused, type Outcome } from '../../../platform/outcome/outcome.ts';
import { ConfigError } from '../../../platform/config/config.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { createRowReader, type RowReader } from '../../read-rows.ts';
import { CI_REFUSED, type Ci, type CiRunPage, type DeployTarget } from '../port.ts';
import type { GithubConfig } from './github.config.ts';
import {
  apiVersion,
  apiVersionHeader,
  dispatchedRun,
  dispatchOf,
  errorAnswer,
  runList,
  runRows,
  toRun,
  workflowOf,
} from './github.wire.ts';

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

/** Loads Octokit at the first call, so that a process that makes none does not load it. */
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
 * third, and would put addresses into its errors. Nor is it given the token, which is the client's.
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

/** A page of 100 runs repeats the repository in each of them. */
const maxResponseBytes = 8 * 1024 * 1024;

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
 * Creates GitHub Actions as the CI system. Returns undefined without a token.
 * @throws ConfigError if there is a token but no owner or no repository
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
    headers: { authorization: `Bearer ${token}`, [apiVersionHeader]: apiVersion },
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
          ...dispatchOf(branch, id),
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
