import { z } from 'zod';
import type { Clock } from '../../../../platform/clock/clock.ts';
import { okAnswer, type Answer, type Call, type Collaborator } from '../../core/collaborator.ts';
import { oddRow } from '../../core/odd-rows.ts';
import type { RunSimulator, RunSummary } from '../../core/run-simulator.ts';
import { isSameSecret } from '../../core/credentials.ts';
import {
  createGithubRunStore,
  type GithubRunStore,
  type Run,
  type RunState,
} from './github-run-store.ts';

/** Returns GitHub's error body. */
const githubError = (status: number, message: string) => ({
  message,
  documentation_url: 'https://docs.github.com/rest',
  status: String(status),
});

/** Returns GitHub's error response. */
const refusal = (status: number, message: string): Answer => ({
  status,
  body: githubError(status, message),
});

/** Describes the body of POST dispatches. */
const dispatchSchema = z.object({
  ref: z.string().min(1),
  inputs: z.record(z.string(), z.string()).default({}),
  return_run_details: z.boolean().default(false),
});

const login = 'deployer';

/** Shows one of `workflow_runs`, with the members that callers commonly read. */
const runView = (run: Run, state: RunState, origin: string) => ({
  id: run.id,
  name: run.title,
  display_title: run.title,
  path: `.github/workflows/${run.workflow}`,
  head_branch: run.branch,
  head_sha: '0'.repeat(40),
  run_number: 1,
  run_attempt: 1,
  event: 'workflow_dispatch',
  status: state.status,
  conclusion: state.conclusion,
  ...runAddresses(run, origin),
  created_at: run.createdAt,
  updated_at: state.updatedAt,
  run_started_at: run.createdAt,
  actor: { login, type: 'User' },
  triggering_actor: { login, type: 'User' },
});

const runAddresses = ({ id, owner, repo }: Run, origin: string) => ({
  url: `${origin}/github/repos/${owner}/${repo}/actions/runs/${id}`,
  /** The address on the sandbox's page. */
  html_url: `${origin}/#run-${id}`,
});

/** Returns the details of the started run, for a dispatch that requests them. */
const runDetails = (run: Run, origin: string) => {
  const { url, html_url } = runAddresses(run, origin);
  return { workflow_run_id: run.id, run_url: url, html_url };
};

interface GithubOptions {
  /** Real time, since runs do not follow the movable clock. */
  readonly system: Clock;
  readonly settleMs: number;
  /** The accepted token. Undefined refuses every caller. */
  readonly token: string | undefined;
  readonly changed: () => void;
}

/** Holds the collaborator and the simulator that ends its runs. */
interface Github {
  readonly collaborator: Collaborator;
  readonly simulator: RunSimulator;
}

/** Maps each workflow to its deployment target. Every repository here has these workflows. */
const workflows: ReadonlyMap<string, string> = new Map(
  ['backend', 'website', 'admin-portal', 'monitoring'].map((target) => [
    `deploy-${target}.yml`,
    target,
  ]),
);
const branch = 'main';
const correlationInput = 'correlation_id';
const workflowPath = '/repos/:owner/:repo/actions/workflows/:workflow';

const placeOf = ({ params }: Call) => ({
  owner: params['owner'] ?? '',
  repo: params['repo'] ?? '',
  workflow: params['workflow'] ?? '',
});

/** Reads a count of the query and silently clamps it to GitHub's limits, as GitHub does. */
const countOf = (
  query: URLSearchParams,
  name: string,
  fallback: number,
  maxCount: number,
): number => {
  const text = query.get(name) ?? '';
  const count = /^\d{1,9}$/u.test(text) ? Number(text) : fallback;
  return Math.min(Math.max(count, 1), maxCount);
};

/** A run of another workflow, which every list contains. */
const oddRun = oddRow(
  { id: null, path: '.github/workflows/nightly.yml@main' },
  { amount: 'run_number', status: 'status', time: 'created_at' },
);

const listRuns = (runs: GithubRunStore, call: Call): Answer => {
  const { owner, repo, workflow } = placeOf(call);
  if (!workflows.has(workflow)) return refusal(404, 'Not Found');
  // GitHub also accepts other forms of `created`, which no caller here uses.
  const since = /^>=(.+)$/u.exec(call.query.get('created') ?? '')?.[1] ?? '';
  const found = runs
    .all()
    .filter((run) => run.workflow === workflow && run.owner === owner && run.repo === repo)
    .filter(({ createdAt }) => createdAt >= since);
  const count = countOf(call.query, 'per_page', 30, 100);
  const first = (countOf(call.query, 'page', 1, 1_000_000) - 1) * count;
  const page = found.slice(first, first + count);
  return okAnswer({
    total_count: found.length,
    workflow_runs: page.map((run) => runView(run, runs.stateOf(run), call.origin)),
  });
};

const dispatch = (runs: GithubRunStore, call: Call): Answer => {
  const place = placeOf(call);
  const target = workflows.get(place.workflow);
  if (target === undefined) return refusal(404, 'Not Found');
  const read = dispatchSchema.safeParse(call.body);
  if (!read.success) return refusal(422, 'Invalid request.');
  const { ref, inputs, return_run_details: wantsDetails } = read.data;
  if (ref !== branch && ref !== `refs/heads/${branch}`) {
    return refusal(422, `No ref found for: ${ref}`);
  }
  const foreign = Object.keys(inputs).filter((name) => name !== correlationInput);
  if (foreign.length > 0) {
    return refusal(422, `Unexpected inputs provided: ${JSON.stringify(foreign)}`);
  }
  const correlationId = inputs[correlationInput] ?? null;
  const mark = correlationId === null ? '' : ` (${correlationId})`;
  const title = `Deploy ${target}${mark}`;
  const run = runs.add({ ...place, title, correlationId, branch });
  return wantsDetails ? okAnswer(runDetails(run, call.origin)) : { status: 204 };
};

const summarise = (runs: GithubRunStore, run: Run): RunSummary => {
  const { status, conclusion } = runs.stateOf(run);
  const { id, owner, repo, workflow, title, correlationId, createdAt } = run;
  const repository = `${owner}/${repo}`;
  const details = { repository, workflow, title, correlationId, branch: run.branch, createdAt };
  return { id: String(id), ...details, status, conclusion };
};

/** Creates GitHub Actions: dispatches of deployment workflows, and their runs. */
export const createGithub = ({ system, settleMs, token, changed }: GithubOptions): Github => {
  const runs = createGithubRunStore(system, settleMs);
  return {
    collaborator: {
      name: 'github',
      mountPath: '/github',
      operations: [
        {
          name: 'list-runs',
          method: 'GET',
          path: `${workflowPath}/runs`,
          shape: {
            spare: ['name', 'head_branch', 'actor', 'triggering_actor', 'conclusion', 'updated_at'],
            state: 'status',
            figure: 'id',
          },
          oddRows: [oddRun],
          handle: (call) => listRuns(runs, call),
        },
        {
          name: 'dispatch',
          method: 'POST',
          path: `${workflowPath}/dispatches`,
          handle: (call) => dispatch(runs, call),
        },
      ],
      refuseUnauthenticated: ({ headers }) => {
        const given = /^(?:Bearer|token) (\S+)$/iu.exec(headers.authorization ?? '')?.[1];
        const isKnown = token !== undefined && given !== undefined && isSameSecret(given, token);
        return isKnown ? undefined : refusal(401, 'Bad credentials');
      },
      errorBody: (status, message) => (status === 200 ? undefined : githubError(status, message)),
      store: runs,
    },
    simulator: {
      runs: (count) =>
        runs
          .all()
          .slice(0, count)
          .map((run) => summarise(runs, run)),
      end(id, conclusion) {
        const run = runs.all().find((one) => String(one.id) === id || one.correlationId === id);
        if (run === undefined) return undefined;
        const ended = runs.end(run, conclusion);
        changed();
        return summarise(runs, ended);
      },
    },
  };
};
