import tab from '@bomb.sh/tab/commander';
import type { Option } from 'commander';
import type { CliDeps } from '../cli-deps.ts';
import { createProgram } from '../create-program.ts';

type Values = Readonly<Record<string, readonly string[]>>;

/** Returns a function that adds the values which an option may have. */
const offer = (values: readonly string[]) =>
  function complete(add: (value: string, about: string) => void): void {
    for (const value of values) add(value, '');
  };

/**
 * Creates the completion of every command. It adds the global options to every command, which the
 * library does not do.
 */
const createCompletion = async (deps: CliDeps, values: Values) => {
  const program = await createProgram(deps, 'all');
  const root = tab(program, { completionCommandName: 'complete-script' });
  root.commands.delete('complete-script');
  const globalOptions = program.options.filter(({ long }) => long !== '--version');
  const valuesOf = ({ argChoices, long }: Option): readonly string[] =>
    argChoices ?? values[long ?? ''] ?? [];
  for (const command of root.commands.values()) {
    for (const option of globalOptions) {
      const name = option.long?.slice('--'.length) ?? '';
      const alias = option.short?.slice(1);
      if (option.required) command.option(name, option.description, offer(valuesOf(option)), alias);
      else command.option(name, option.description, alias);
    }
  }
  return root;
};

/** Reads the kubeconfig only if a value from it is completed, because its library loads slowly. */
const kubeValues = async (deps: CliDeps, words: readonly string[]): Promise<Values> => {
  const previousWord = words.at(-2) ?? '';
  const optionName = (words.at(-1) ?? '').split('=', 1)[0] ?? '';
  const names = new Set(['--context', '--namespace', '-n']);
  if (!names.has(previousWord) && !names.has(optionName)) return {};
  const { listKubeContexts } = await import('../clients/kube-config.ts');
  const contexts = listKubeContexts(deps.env);
  const namespaces = new Set(contexts.flatMap(({ namespace }) => namespace ?? []));
  return {
    '--context': ['local', 'pod', ...contexts.map(({ name }) => name)],
    '--namespace': [...namespaces],
  };
};

/** Prints the completion script of a shell. */
export const printScript = async (deps: CliDeps, shell: string): Promise<void> => {
  (await createCompletion(deps, {})).setup('goldctl', 'goldctl', shell);
};

/** Prints the completions of the last word. */
export const printSuggestions = async (deps: CliDeps, words: readonly string[]): Promise<void> => {
  (await createCompletion(deps, await kubeValues(deps, words))).parse([...words]);
};
