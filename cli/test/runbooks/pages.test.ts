import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/create-program.ts';
import { commandsOf, runbookNames, runbookText, wordsOf } from '../support/runbook.ts';
import { programDeps } from '../support/run-in-process.ts';
import { runbooksWithoutCommands, testedRunbooks } from './tested-runbooks.ts';

/** Finds the command that the words begin with, and returns it with the rest of them. */
const leafOf = (
  command: Command,
  words: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } => {
  const [first, ...rest] = words;
  const child = command.commands.find((one) => one.name() === first);
  return child === undefined ? { command, rest: words } : leafOf(child, rest);
};

/** Says what is wrong with a command line. Returns nothing where goldctl would take it. */
const faultOf = (program: Command, line: string): string | undefined => {
  const { command, rest } = leafOf(program, wordsOf(line));
  if (command === program || command.commands.length > 0) {
    // Named as a whole: `goldctl deploy`.
    return rest.length === 0 ? undefined : `there is no command "${line}"`;
  }
  const options = [...command.options, ...program.options];
  const given = [...rest];
  const values: string[] = [];
  while (given.length > 0) {
    const word = given.shift() ?? '';
    if (!word.startsWith('-')) {
      values.push(word);
      continue;
    }
    const option = options.find(({ long, short }) => long === word || short === word);
    if (option === undefined) return `there is no option ${word} in "${line}"`;
    if (option.required && given.shift() === undefined) return `${word} needs a value in "${line}"`;
  }
  const wanted = command.registeredArguments;
  if (values.length > wanted.length) return `"${line}" has too many words`;
  const wrong = wanted.find(
    ({ argChoices }, at) =>
      argChoices !== undefined && values[at] !== undefined && !argChoices.includes(values[at]),
  );
  return wrong === undefined ? undefined : `"${line}": ${wrong.name()} is none of its choices`;
};

describe('a runbook', () => {
  it.each(runbookNames)('%s names only commands that there are', async (name) => {
    const program = await createProgram(programDeps(), 'all');
    const faults = commandsOf(runbookText(name)).flatMap((line) => faultOf(program, line) ?? []);
    expect(faults).toEqual([]);
  });

  it.each(runbookNames)('%s has no SQL and no psql', (name) => {
    expect(runbookText(name)).not.toMatch(/```sql|\bpsql\b|\bSELECT\b|\bUPDATE\b.*\bSET\b/u);
  });

  it('is played on a stack, or says why it has no command', () => {
    const withCommands = runbookNames.filter((name) => commandsOf(runbookText(name)).length > 0);
    expect(withCommands.toSorted()).toEqual(testedRunbooks.toSorted());
    const others = runbookNames.filter((name) => !testedRunbooks.includes(name));
    expect(others.toSorted()).toEqual(Object.keys(runbooksWithoutCommands).toSorted());
  });

  it.each(runbookNames)('%s names commands as they are typed', (name) => {
    // "goldctl's `payout list`" is a command that no test would see.
    expect(runbookText(name)).not.toMatch(/goldctl's `/u);
  });

  it.each(runbookNames)('%s sends nothing by curl that a command could', (name) => {
    const sent = runbookText(name).match(/^.*\bcurl\b.*$/gmu) ?? [];
    expect(sent.filter((line) => !line.includes('$SANDBOX/'))).toEqual([]);
  });
});

it('finds what is wrong with a command line', async () => {
  const program = await createProgram(programDeps(), 'all');
  const faults = [
    'goldctl garden list',
    'goldctl payout water ID',
    'goldctl order resolve ID GARDEN',
    'goldctl payout list --colour red',
    'goldctl payout show A B',
  ].map((line) => faultOf(program, line));
  expect(faults.every((fault) => fault !== undefined)).toBe(true);
});
