import type { Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { withAdmin } from '../clients/connect-admin.ts';
import { globalOptionsOf, type GlobalOptions } from '../global-options.ts';
import { printResult, renderPairs, renderTable } from '../io/output.ts';
import { createAdminCi } from './admin-ci.ts';
import type { DeployTarget } from './deploy-targets.ts';
import type {
  DeployCi,
  Deployment,
  DeployRun,
  RunList,
  UndecidedDeployment,
} from './deploy.types.ts';
import { waitForRun } from './wait-for-run.ts';

const defaultTimeoutMs = 30 * 60_000;

/** Runs `work` with the CI system, through the admin API or directly. */
const withCi = async <T>(
  deps: CliDeps,
  options: GlobalOptions,
  isDirect: boolean,
  work: (ci: DeployCi) => Promise<T>,
): Promise<T> => {
  if (!isDirect) return withAdmin(deps, options, ({ api }) => work(createAdminCi(api)));
  const { createGithubCi } = await import('../clients/github.ts');
  return work(createGithubCi(deps));
};

const renderItems = (runs: RunList['items']): string =>
  runs.length === 0
    ? 'There are no runs.'
    : renderTable(
        ['target', 'run', 'status', 'conclusion', 'branch', 'actor', 'created', 'title'],
        runs.map((run) => [
          run.target,
          run.id,
          run.status,
          run.conclusion ?? '-',
          run.branch ?? '-',
          run.actor ?? '-',
          run.createdAt,
          run.title,
        ]),
      );

const renderUndecided = (undecided: readonly UndecidedDeployment[]): string => {
  const table = renderTable(
    ['target', 'status', 'correlation id', 'dispatched'],
    undecided.map((deployment) => [
      deployment.target,
      deployment.status,
      deployment.correlationId,
      deployment.dispatchedAt,
    ]),
  );
  return `Undecided deployments, which may or may not have started:\n${table}`;
};

const renderRuns = ({ items, undecided = [] }: RunList): string =>
  [renderItems(items), ...(undecided.length === 0 ? [] : [renderUndecided(undecided)])].join(
    '\n\n',
  );

const renderDeployment = (started: Deployment, run: DeployRun | undefined): string =>
  renderPairs([
    ['target', started.target],
    ['workflow', started.workflow],
    ['branch', started.branch],
    ['correlation id', started.correlationId],
    ['dispatched', started.dispatchedAt],
    ['run', run?.id ?? started.run?.id ?? 'not known yet'],
    ['page', run?.url ?? started.run?.url ?? 'not known yet'],
    ...(run === undefined ? [] : ([['conclusion', run.conclusion ?? 'unknown']] as const)),
  ]);

export interface TriggerOptions {
  readonly wait?: boolean;
  readonly timeout?: number;
  readonly direct?: boolean;
}

/** Starts the deployment of a target, and follows its run if `wait` is set. */
export const triggerDeployment = async (
  deps: CliDeps,
  target: DeployTarget,
  { wait = false, timeout = defaultTimeoutMs, direct = false }: TriggerOptions,
  command: Command,
): Promise<void> => {
  const options = globalOptionsOf(command);
  const [started, run] = await withCi(deps, options, direct, async (ci) => {
    const started = await ci.trigger(target);
    deps.stderr(`started ${started.workflow} as ${started.correlationId}\n`);
    return [started, wait ? await waitForRun(deps, ci, started, timeout) : undefined] as const;
  });
  printResult(deps, options.output, {
    data: run === undefined ? started : { ...started, run },
    text: renderDeployment(started, run),
  });
  if (run === undefined || run.conclusion === 'success') return;
  throw new CliError(
    `the deployment of ${target} ended with ${run.conclusion ?? 'no conclusion'}`,
    exitCodes.failed,
    `Its log: ${run.url}`,
  );
};

export interface RunsOptions {
  readonly target?: DeployTarget;
  readonly limit: number;
  readonly direct?: boolean;
}

/** Prints the newest runs, and the deployments that may not have been started. */
export const showRuns = async (
  deps: CliDeps,
  { target, limit, direct = false }: RunsOptions,
  command: Command,
): Promise<void> => {
  const options = globalOptionsOf(command);
  const runs = await withCi(deps, options, direct, (ci) => ci.runs(target, limit));
  printResult(deps, options.output, { data: runs, text: renderRuns(runs) });
};
