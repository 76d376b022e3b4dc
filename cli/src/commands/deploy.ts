import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import type { RunsOptions, TriggerOptions } from '../deploys/deploy-actions.ts';
import { deployTargets, type DeployTarget } from '../deploys/deploy-targets.ts';
import { parseDuration } from '../io/parse-duration.ts';

const load = () => import('../deploys/deploy-actions.ts');

const [fewest, most] = [1, 100];

const parseCount = (text: string): number => {
  const count = /^\d{1,3}$/u.test(text) ? Number(text) : 0;
  if (count >= fewest && count <= most) return count;
  throw new InvalidArgumentError(`It must be a whole number, ${fewest} to ${most}.`);
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

/** Creates `goldctl deploy`, which starts deployments and shows their runs. */
export const createDeployCommand = (deps: CliDeps): Command => {
  const command = new Command('deploy').addHelpText('after', help);
  command
    .command('trigger')
    .description('start the deployment of a target, from branch main')
    .addArgument(new Argument('<target>', 'what to deploy').choices(deployTargets))
    .option('--wait', 'wait for the run to end; the exit code says how it ended')
    .option('--timeout <duration>', 'how long to wait with --wait (default: 30m)', parseDuration)
    .addOption(directOption())
    .action(async (target: DeployTarget, own: TriggerOptions, self: Command) =>
      (await load()).triggerDeployment(deps, target, own, self),
    );
  command
    .command('runs')
    .description('show the newest runs, and deployments that may not have started')
    .addOption(new Option('--target <target>', 'only this target').choices(deployTargets))
    .option('--limit <count>', 'number of runs per target', parseCount, 10)
    .addOption(directOption())
    .action(async (own: RunsOptions, self: Command) => (await load()).showRuns(deps, own, self));
  return command;
};
