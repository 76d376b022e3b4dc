import type { Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { createProgram } from '../create-program.ts';
import { topicNames, topicText } from './topics.ts';

/** Returns the command or subcommand that the words name, or undefined if there is none. */
const commandNamed = (program: Command, words: readonly string[]): Command | undefined => {
  const [first, ...rest] = words;
  if (first === undefined) return program;
  const found = program.commands.find((command) => command.name() === first);
  return found === undefined ? undefined : commandNamed(found, rest);
};

/**
 * Prints the help of a command, or a topic.
 * @throws CliError usage if the words name neither.
 */
export const showHelp = async (
  deps: CliDeps,
  program: Command,
  words: readonly string[],
): Promise<void> => {
  const command = commandNamed(program, words);
  if (command !== undefined) {
    command.outputHelp();
    return;
  }
  const text = topicText(words);
  if (text === undefined) {
    throw new CliError(
      `there is no command and no topic "${words.join(' ')}"`,
      exitCodes.usage,
      `Topics: ${topicNames().join(', ')}.`,
    );
  }
  deps.stdout(`${text}\n`);
};

/** Prints the description of the commands as JSON, for programs. */
export const showHelpAsJson = async (deps: CliDeps, words: readonly string[]): Promise<void> => {
  const { describeProgram } = await import('./describe-program.ts');
  const program = await createProgram(deps, 'all');
  deps.stdout(`${JSON.stringify(describeProgram(program, words), undefined, 2)}\n`);
};
