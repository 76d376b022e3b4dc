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

interface CallOptions {
  /** The call's name in logs and metrics. */
  readonly operation: string;
  /** True for a call that may be repeated. */
  readonly safe: boolean;
}

/** The arguments of Octokit's `fetch` that are read here. */
interface OctokitRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The options of one of Octokit's calls, by which our own client sends it. */
interface OctokitOptions {
  readonly request: { readonly fetch: (url: string, request: OctokitRequest) => Promise<Response> };
}

const logNothing = (): void => {};

/** Loads Octokit. It is done at the first call, since many processes make no calls. */
const openOctokit = async (apiUrl: string): Promise<Octokit> => {
  const { Octokit } = await import('@octokit/rest');
  return new Octokit({
    baseUrl: apiUrl,
    userAgent: 'digital-gold-service',
    // By default Octokit would write warnings to the console.
    log: { debug: logNothing, info: logNothing, warn: logNothing, error: logNothing },
  });
};

/** Sends one of Octokit's calls. */
type OctokitCall = (
  callOptions: CallOptions,
  start: (actions: Actions, octokitOptions: OctokitOptions) => Promise<unknown>,
) => Promise<Outcome<HttpResponse>>;

/**
 * Creates the function that sends Octokit's calls. Octokit only builds the request, and our own client
 * sends it, with its limits, circuit and metrics. Octokit does not see the response, since it has no
 * unknown outcome and puts addresses into its errors. It does not see the token either.
 */
const createOctokitCall = (client: HttpClient, apiUrl: string): OctokitCall => {
  let opened: Promise<Octokit> | undefined;
  return async ({ operation, safe }, start) => {
    const outcomes: Outcome<HttpResponse>[] = [];
    const fetch: OctokitOptions['request']['fetch'] = async (url, { method, headers, body }) => {
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
    await start(octokit.rest.actions, { request: { fetch } });
    const [outcome] = outcomes;
    if (outcome === undefined) throw new Error(`Octokit sent nothing for ${operation}`);
    return outcome;
  };
};

/** The limit of a response. A page of 100 runs repeats the repository in each run. */
const maxResponseBytes = 8 * 1024 * 1024;

const toPage = (
  readRows: RowReader,
  { workflow_runs: listed }: z.output<typeof runList>,
  { target, count }: { readonly target: DeployTarget; readonly count: number },
): CiRunPage => {
  const { rows, unread } = readRows('list-runs', listed, runRows(target));
  const runs = rows.map((run) => toRun(target, run));
  return { runs, unreadable: unread, hasMore: listed.length >= count };
};

/** Reads a refusal of GitHub. A moved repository is one too, since redirects are not followed. */
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
  const workflowParams = (target: DeployTarget) => ({
    owner,
    repo: repositories[target],
    workflow_id: workflowOf(target),
  });

  return {
    code: 'github',
    workflowOf,

    async listRuns({ target, count, page, since }) {
      const sent = await call({ operation: 'list-runs', safe: true }, (actions, options) =>
        actions.listWorkflowRuns({
          ...workflowParams(target),
          per_page: count,
          ...(page !== undefined && { page }),
          ...(since !== undefined && { created: `>=${since.toISOString().slice(0, 19)}Z` }),
          ...options,
        }),
      );
      if (sent.kind !== 'done') return sent;
      const read = readAnswer(sent.value, runList, readRefusal);
      return mapDone(read, (listed) => toPage(readRows, listed, { target, count }));
    },

    async dispatch({ target, branch, correlationId: id }) {
      // A repeat would be a second deployment.
      const sent = await call({ operation: 'dispatch', safe: false }, (actions, options) =>
        actions.createWorkflowDispatch({
          ...workflowParams(target),
          ...dispatchOf(branch, id),
          ...options,
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
