import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { listKubeContexts } from '../clients/kube-config.ts';
import { globalOptionsOf } from '../global-options.ts';
import { printResult, renderTable } from '../io/output.ts';
import { readDefaults, saveDefaults } from './defaults.ts';

const contextState = z.object({
  name: z.string(),
  namespace: z.string().nullable(),
  isDefault: z.boolean(),
});

/** The contexts, as they are printed. */
export const contextsOutput = z.object({ items: z.array(contextState) });

/** The saved default, as it is printed. */
export const defaultOutput = z.object({
  context: z.string().nullable(),
  namespace: z.string().nullable(),
});

/** Prints all contexts, and marks the saved default. */
export const listContexts = (deps: CliDeps, command: Command): void => {
  const saved = readDefaults(deps);
  const all = [{ name: 'local' }, { name: 'pod' }, ...listKubeContexts(deps.env)];
  const items = all.map(({ name, ...rest }) => {
    const own = 'namespace' in rest ? rest.namespace : undefined;
    const isDefault = name === saved.context;
    const namespace = (isDefault ? saved.namespace : undefined) ?? own ?? null;
    return { name, namespace, isDefault };
  });
  const rows = items.map(({ name, namespace, isDefault }) => [
    name,
    namespace ?? '-',
    isDefault ? 'yes' : '',
  ]);
  printResult(deps, globalOptionsOf(command).output, {
    data: { items },
    text: renderTable(['context', 'namespace', 'default'], rows),
  });
};

const printDefault = (deps: CliDeps, command: Command, text: string): void => {
  const { context = null, namespace = null } = readDefaults(deps);
  printResult(deps, globalOptionsOf(command).output, { data: { context, namespace }, text });
};

/**
 * Saves a context as the default.
 * @throws CliError usage if there is no such context.
 */
export const useContext = (deps: CliDeps, context: string, command: Command): void => {
  const names = ['local', 'pod', ...listKubeContexts(deps.env).map(({ name }) => name)];
  if (!names.includes(context)) {
    throw new CliError(
      `there is no context "${context}"`,
      exitCodes.usage,
      `Available contexts: ${names.join(', ')}.`,
    );
  }
  const { namespace } = globalOptionsOf(command);
  saveDefaults(deps, { context, ...(namespace !== undefined && { namespace }) });
  const place = namespace === undefined ? '' : `, namespace ${namespace}`;
  printDefault(deps, command, `commands use context ${context}${place}`);
};

/** Deletes the saved default. */
export const forgetContext = (deps: CliDeps, command: Command): void => {
  saveDefaults(deps, {});
  printDefault(deps, command, 'no default is saved');
};
