import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { withAdmin } from '../clients/connect-admin.ts';
import { createAdminCi } from '../deploys/admin-ci.ts';
import {
  deployTargets,
  type DeployCi,
  type Deployment,
  type DeployRun,
  type DeployTarget,
  type RunList,
  type UndecidedDeployment,
} from '../deploys/deploy.types.ts';
import { waitForRun } from '../deploys/wait-for-run.ts';
import { globalOptionsOf, type GlobalOptions } from '../global-options.ts';
import { printResult, renderPairs, renderTable } from '../io/output.ts';
import { parseDuration } from '../io/parse-duration.ts';

const defaultTimeoutMs = 30 * 60_000;
const [fewest, most] = [1, 100];

const parseCount = (text: string): number => {
  const count = /^\d{1,3}$/u.test(text) ? Number(text) : 0;
  if (count >= fewest && count <= most) return count;
  throw new InvalidArgumentError(`It must be a whole number, ${fewest} to ${most}.`);
};

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
    undecided.map((one) => [one.target, one.status, one.correlationId, one.dispatchedAt]),
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

interface TriggerOptions {
  readonly wait?: boolean;
  readonly timeout: number;
  readonly direct?: boolean;
}

const trigger = async (
  deps: CliDeps,
  target: DeployTarget,
  { wait = false, timeout, direct = false }: TriggerOptions,
  options: GlobalOptions,
): Promise<void> => {
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

const directOption = (): Option =>
  new Option('--direct', "call GitHub's API directly, with GITHUB_TOKEN");

const help = `
The admin API starts deployments and records who started them. Use --direct when it is
unavailable; it reads GITHUB_TOKEN, GITHUB_OWNER, GITHUB_REPOSITORY and GITHUB_API_URL.

Examples:
  $ goldctl deploy trigger backend --wait
  $ goldctl deploy trigger website --wait --timeout 10m
  $ goldctl deploy runs --target backend
  $ GITHUB_TOKEN=... goldctl deploy trigger backend --direct --wait`;

/** `goldctl deploy`: starts deployments and shows their runs. */
export const createDeployCommand = (deps: CliDeps): Command => {
  const command = new Command('deploy')
    .description('start deployments and show their runs')
    .addHelpText('after', help);
  command
    .command('trigger')
    .description('start the deployment of a target, from branch main')
    .addArgument(new Argument('<target>', 'what to deploy').choices(deployTargets))
    .option('--wait', 'wait for the run to end; the exit code says how it ended')
    .option('--timeout <duration>', 'how long --wait waits (30m)', parseDuration, defaultTimeoutMs)
    .addOption(directOption())
    .action(async (target: DeployTarget, own: TriggerOptions, self: Command) =>
      trigger(deps, target, own, globalOptionsOf(self)),
    );
  command
    .command('runs')
    .description('show the newest runs, and deployments that may not have been started')
    .addOption(new Option('--target <target>', 'only this target').choices(deployTargets))
    .option('--limit <count>', 'number of runs per target', parseCount, 10)
    .addOption(directOption())
    .action(
      async (
        own: { target?: DeployTarget; limit: number; direct?: boolean },
        self: Command,
      ): Promise<void> => {
        const options = globalOptionsOf(self);
        const runs = await withCi(deps, options, own.direct ?? false, (ci) =>
          ci.runs(own.target, own.limit),
        );
        printResult(deps, options.output, { data: runs, text: renderRuns(runs) });
      },
    );
  return command;
};
