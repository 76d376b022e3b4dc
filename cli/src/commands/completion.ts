import { Argument, Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';

const load = () => import('../completion/complete.ts');

const help = `
The script runs goldctl at each Tab. In bash it needs the package bash-completion.

Examples:
  $ source <(goldctl completion bash)               # or zsh; in the shell's start-up file
  $ goldctl completion fish > ~/.config/fish/completions/goldctl.fish`;

/** Creates `goldctl completion`, which prints the script of a shell. */
export const createCompletionCommand = (deps: CliDeps): Command =>
  new Command('completion')
    .addArgument(
      new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish', 'powershell']),
    )
    .addHelpText('after', help)
    .action(async (shell: string) => (await load()).printScript(deps, shell));

/** Creates `goldctl complete -- WORDS`, which the scripts run and which prints the completions. */
export const createCompleteCommand = (deps: CliDeps): Command =>
  new Command('complete')
    .argument('[words...]')
    .action(async (words: readonly string[]) => (await load()).printSuggestions(deps, words));
