import type { Argument, Command, Option } from 'commander';
import { CliError, exitCodeMeanings, exitCodes } from '../cli-error.ts';
import { apiVersion } from '../io/output.ts';
import { outputSchema } from './output-schemas.ts';

const describeOption = (option: Option) => ({
  flags: option.flags,
  long: option.long ?? null,
  short: option.short ?? null,
  about: option.description,
  takesValue: option.required || option.optional,
  isRequired: option.mandatory,
  choices: option.argChoices ?? null,
  environment: option.envVar ?? null,
});

const describeArgument = (argument: Argument) => ({
  name: argument.name(),
  about: argument.description,
  isRequired: argument.required,
  isVariadic: argument.variadic,
  choices: argument.argChoices ?? null,
});

interface Named {
  readonly name: string;
  readonly command: Command;
}

/** Returns the commands without subcommands, each with its whole name. */
const leavesOf = (command: Command, prefix = ''): Named[] =>
  command.commands.flatMap((child) => {
    const name = `${prefix}${child.name()}`;
    if (name === 'complete') return [];
    return child.commands.length > 0 ? leavesOf(child, `${name} `) : [{ name, command: child }];
  });

const describeCommand = ({ name, command }: Named) => ({
  name,
  about: command.description(),
  arguments: command.registeredArguments.map(describeArgument),
  options: command.options.map(describeOption),
  output: outputSchema(name) ?? null,
});

/**
 * Describes the commands whose names begin with the words, for programs. The description has the
 * arguments, the options, the exit codes and the schema of each command's JSON. The schema is null if a
 * command prints only text.
 * @throws CliError usage if no command has the words as its name
 */
export const describeProgram = (program: Command, words: readonly string[]) => {
  const wanted = words.join(' ');
  const commands = leavesOf(program).filter(
    ({ name }) => wanted === '' || name === wanted || name.startsWith(`${wanted} `),
  );
  if (commands.length === 0) {
    throw new CliError(`there is no command "${wanted}"`, exitCodes.usage);
  }
  return {
    apiVersion,
    name: program.name(),
    version: program.version() ?? null,
    exitCodes: Object.values(exitCodes).map((code) => ({ code, means: exitCodeMeanings[code] })),
    globalOptions: program.options.map(describeOption),
    commands: commands.map(describeCommand),
  };
};
