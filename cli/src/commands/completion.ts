import tab from '@bomb.sh/tab/commander';
import type { Command, Option } from 'commander';

const help = `
The script runs goldctl at each Tab. In bash it needs the package bash-completion.

Examples:
  $ source <(goldctl completion bash)               # or zsh; in the shell's start-up file
  $ goldctl completion fish > ~/.config/fish/completions/goldctl.fish`;

/** Offers the values that an option may have. */
const offerChoices = ({ argChoices = [] }: Option) =>
  function offer(complete: (value: string, about: string) => void): void {
    for (const value of argChoices) complete(value, '');
  };

/**
 * Adds `goldctl completion`, and the hidden `complete` that its scripts run. Call it last: it
 * completes the commands that `program` has by then, each with the options of its own and, unlike
 * the library, with those that every command takes.
 */
export const addCompletionCommand = (program: Command): void => {
  const { commands } = tab(program, { completionCommandName: 'completion' });
  const globalOptions = program.options.filter(({ long }) => long !== '--version');
  for (const command of commands.values()) {
    for (const option of globalOptions) {
      const name = option.long?.slice('--'.length) ?? '';
      const alias = option.short?.slice(1);
      if (option.required) command.option(name, option.description, offerChoices(option), alias);
      else command.option(name, option.description, alias);
    }
  }
  program.commands
    .find((command) => command.name() === 'completion')
    ?.description('print the completion script for a shell')
    .addHelpText('after', help);
};
