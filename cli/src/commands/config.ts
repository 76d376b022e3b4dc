import { Command, Option } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import type { ExplainOptions } from '../configuration/explain-config.ts';

const load = () => import('../configuration/explain-config.ts');

const help = `
A value comes from the local stack's file, the pod's environment, or in a cluster from the template
of the deployment and the ConfigMaps that it names. Secrets are never read or shown: only where they
come from.

Examples:
  $ goldctl config explain
  $ goldctl config explain PAYMENT_GATEWAYS
  $ goldctl --context prod config explain --process worker -o json`;

/** Creates `goldctl config`, which explains the configuration. */
export const createConfigCommand = (deps: CliDeps): Command => {
  const config = new Command('config').addHelpText('after', help);
  config
    .command('explain')
    .description('show each variable that a process reads, its value and the source of the value')
    .argument('[name]', 'only this variable, with its description')
    .addOption(
      new Option('--process <name>', 'the process')
        .choices(['customer', 'admin', 'accounting', 'worker'])
        .default('admin'),
    )
    .action(async (name: string | undefined, own: ExplainOptions, self: Command) =>
      (await load()).explainConfig(deps, name, own, self),
    );
  return config;
};
