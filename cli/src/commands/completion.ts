import { Argument, Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { bashCompletion } from '../completion/bash.ts';
import { completedCommands, type CompletedCommand } from '../completion/command-tree.ts';
import { fishCompletion } from '../completion/fish.ts';
import { zshCompletion } from '../completion/zsh.ts';

const scripts = new Map<string, (commands: readonly CompletedCommand[]) => string>([
  ['bash', bashCompletion],
  ['zsh', zshCompletion],
  ['fish', fishCompletion],
]);

const help = `
Examples:
  $ source <(goldctl completion bash)               # or zsh; in the shell's start-up file
  $ goldctl completion fish > ~/.config/fish/completions/goldctl.fish`;

/** `goldctl completion`: a script by which a shell completes the commands of `program`. */
export const createCompletionCommand = (deps: CliDeps, program: Command): Command =>
  new Command('completion')
    .description('print the script by which a shell completes goldctl')
    .addArgument(new Argument('<shell>', 'which shell').choices([...scripts.keys()]))
    .addHelpText('after', help)
    .action((shell: string) => {
      deps.stdout(scripts.get(shell)?.(completedCommands(program)) ?? '');
    });
