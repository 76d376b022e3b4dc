import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { resolveContext, type Context } from '../contexts/context.ts';
import { globalOptionsOf } from '../global-options.ts';
import { printResult, renderPairs, renderTable } from '../io/output.ts';
import { findSources, type Sources } from './sources.ts';
import { describedVariables, type DescribedVariable } from './variables.ts';

const explained = z.object({
  name: z.string(),
  /** Null for a secret, and if there is no value. */
  value: z.string().nullable(),
  source: z.string(),
  default: z.string().nullable(),
  isSecret: z.boolean(),
  isSet: z.boolean().nullable(),
  about: z.string(),
});
type Explained = z.output<typeof explained>;

/** The configuration of a process, as it is printed. */
export const configOutput = z.object({
  process: z.string(),
  place: z.string(),
  items: z.array(explained),
});
export type Configuration = z.output<typeof configOutput>;

/** Removes the password of an address, which is a secret even if its variable is not. */
const withoutPassword = (value: string): string =>
  value.replaceAll(/(?<start>\w+:\/\/[^\s:/@]*):[^\s@]+@/gu, '$<start>:…@');

const sourceOf = (variable: DescribedVariable, { given, wholeSecrets }: Sources) => {
  const { name, standard, isRequired, isSecret } = variable;
  const file = isSecret ? given.get(`${name}_FILE`) : undefined;
  const own = given.get(name);
  if (file !== undefined) return { given: file, source: `file ${file.value ?? ''}`, isSet: true };
  if (own !== undefined) return { given: own, source: own.source, isSet: true };
  if (isSecret && wholeSecrets.length > 0) {
    return { source: `Secret ${wholeSecrets.join(', ')}, if it has the key`, isSet: null };
  }
  if (standard !== undefined) return { source: 'default', isSet: false };
  return { source: isRequired ? 'missing' : 'not set', isSet: false };
};

const explain = (variable: DescribedVariable, sources: Sources): Explained => {
  const { name, isSecret, about, standard } = variable;
  const { given, source, isSet } = sourceOf(variable, sources);
  const value = given === undefined ? standard : given.value;
  return {
    name,
    value: isSecret || value === undefined ? null : withoutPassword(value),
    source,
    default: standard ?? null,
    isSecret,
    isSet,
    about,
  };
};

/** Explains every variable that a process reads. */
export const explainProcess = async (
  deps: CliDeps,
  context: Context,
  process: string,
): Promise<Configuration> => {
  const sources = await findSources(deps, context, process);
  const items = describedVariables(process).map((variable) => explain(variable, sources));
  return { process, place: sources.place, items };
};

const shown = ({ value, isSecret, isSet }: Explained): string => {
  if (!isSecret) return value ?? '-';
  return isSet === null ? '(may be set)' : isSet ? '(set, secret)' : '-';
};

const renderVariable = (item: Explained): string =>
  renderPairs([
    ['variable', item.name],
    ['what it is', item.about],
    ['value', shown(item)],
    ['source', item.source],
    ['default', item.default ?? '-'],
  ]);

const renderVariables = ({ items }: Configuration): string =>
  renderTable(
    ['variable', 'value', 'source'],
    items.map((item) => [item.name, shown(item), item.source]),
  );

export interface ExplainOptions {
  readonly process: string;
}

/** Prints the variables of a process with their values and sources, or only the named variable. */
export const explainConfig = async (
  deps: CliDeps,
  name: string | undefined,
  { process }: ExplainOptions,
  command: Command,
): Promise<void> => {
  const options = globalOptionsOf(command);
  const all = await explainProcess(deps, resolveContext(deps, options), process);
  const items = all.items.filter((item) => name === undefined || item.name === name);
  const [first] = items;
  if (first === undefined) {
    throw new CliError(
      `the ${process} process reads no variable ${name}`,
      exitCodes.usage,
      '--process names another process; without a name all variables are shown.',
    );
  }
  const text =
    name === undefined ? `${all.place}\n\n${renderVariables(all)}` : renderVariable(first);
  printResult(deps, options.output, { data: { ...all, items }, text });
};
