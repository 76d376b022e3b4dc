import { Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';

const load = () => import('../contexts/context-actions.ts');

const help = `
Without --context a command uses the saved default; else a local stack that is there, the pod that
goldctl runs in, or the current context of the kubeconfig. It says on standard error which of the
last three or of the saved it is, unless it is a local stack.

Examples:
  $ goldctl context list
  $ goldctl context use prod --namespace digital-gold
  $ goldctl context forget`;

/** Creates `goldctl context`, which shows the contexts, and saves the default. */
export const createContextCommand = (deps: CliDeps): Command => {
  const context = new Command('context').addHelpText('after', help);
  context
    .command('list')
    .description('list "local", "pod" and the contexts of the kubeconfig')
    .action(async (_options: unknown, self: Command) => (await load()).listContexts(deps, self));
  context
    .command('use')
    .description('save a context, with --namespace, as the default of later commands')
    .argument('<name>', '"local", "pod", or a context of the kubeconfig')
    .action(async (name: string, _options: unknown, self: Command) =>
      (await load()).useContext(deps, name, self),
    );
  context
    .command('forget')
    .description('forget the saved default')
    .action(async (_options: unknown, self: Command) => (await load()).forgetContext(deps, self));
  return context;
};
