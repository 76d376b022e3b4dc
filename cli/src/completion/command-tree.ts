import type { Command, Option } from 'commander';

/** Something that can be completed, with what it is. */
interface Candidate {
  readonly word: string;
  readonly about: string;
}

export interface CompletedOption {
  /** `--output`, and `-o` where there is a short one. */
  readonly flags: readonly string[];
  readonly about: string;
  readonly takesValue: boolean;
  /** Empty where any value will do. */
  readonly values: readonly string[];
}

/** What may follow one command of the tree. */
export interface CompletedCommand {
  /** The words that lead to it, such as `gates open`; empty for goldctl itself. */
  readonly path: string;
  /** Its commands and the values of its argument. */
  readonly words: readonly Candidate[];
  /** Its own options and those that every command takes. */
  readonly options: readonly CompletedOption[];
}

const completedOption = (option: Option): CompletedOption => ({
  flags: [option.short, option.long].filter((flag) => flag !== undefined),
  about: option.description,
  takesValue: option.required || option.optional,
  values: option.argChoices ?? [],
});

const optionsOf = (command: Command): CompletedOption[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .map((option) => completedOption(option));

const wordsOf = (command: Command): Candidate[] => [
  ...command
    .createHelp()
    .visibleCommands(command)
    .map((child) => ({ word: child.name(), about: child.description() })),
  ...command.registeredArguments.flatMap((argument) =>
    (argument.argChoices ?? []).map((word) => ({ word, about: argument.description })),
  ),
];

const walk = (
  command: Command,
  path: readonly string[],
  inherited: readonly CompletedOption[],
): CompletedCommand[] => {
  const own = optionsOf(command);
  const isOwn = new Set(own.flatMap(({ flags }) => flags));
  const fromAbove = inherited.filter(({ flags }) => !flags.some((flag) => isOwn.has(flag)));
  // Only goldctl itself has options that commands below it take too.
  const global = path.length === 0 ? own.filter(({ flags }) => !flags.includes('-V')) : inherited;
  return [
    { path: path.join(' '), words: wordsOf(command), options: [...own, ...fromAbove] },
    ...command.commands.flatMap((child) => walk(child, [...path, child.name()], global)),
  ];
};

/** The commands of a tree, flat, parents before children. */
export const completedCommands = (root: Command): CompletedCommand[] => walk(root, [], []);

/** The flags of all options that take a value, with the values that there are. */
export const valueOptions = (commands: readonly CompletedCommand[]): CompletedOption[] => {
  const byFlag = new Map<string, CompletedOption>();
  for (const option of commands.flatMap(({ options }) => options)) {
    const name = option.flags.join('|');
    if (option.takesValue && !byFlag.has(name)) byFlag.set(name, option);
  }
  return [...byFlag.values()];
};
