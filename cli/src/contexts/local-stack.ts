import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CliError, exitCodes } from '../cli-error.ts';
import type { LocalContext } from './context.ts';

const endpointsForm = z.object({
  admin: z.url(),
  customer: z.url(),
  accounting: z.url(),
  sandbox: z.url(),
  /** The addresses of the processes' probes by name. A stack of an older version has none. */
  internal: z.record(z.string(), z.url()).default({}),
  settingsDir: z.string(),
  /** Only a development stack publishes its operators. */
  admins: z
    .object({ SUPER_ADMIN: z.object({ email: z.string(), password: z.string() }) })
    .optional(),
});

/** The addresses and accounts of a local stack. */
export type LocalEndpoints = z.infer<typeof endpointsForm>;

/**
 * Reads a file of the stack's folder.
 * @throws CliError unreachable if there is no stack
 */
const readStackFile = ({ home }: LocalContext, name: string): string => {
  const path = join(home, name);
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new CliError(
      `there is no local stack: ${path} can't be read`,
      exitCodes.unreachable,
      '"make up" starts one; --context names a cluster instead.',
    );
  }
};

/**
 * Reads `endpoints.json`.
 * @throws CliError unreachable if there is no stack, failed if the file is not valid
 */
export const readEndpoints = (context: LocalContext): LocalEndpoints => {
  const text = readStackFile(context, 'endpoints.json');
  try {
    return endpointsForm.parse(JSON.parse(text));
  } catch {
    throw new CliError(`${context.home}/endpoints.json is not valid`, exitCodes.failed);
  }
};

/** Removes the single quotes in which `make up` writes some values for a shell. */
const unquote = (value: string): string =>
  value.startsWith("'") ? value.slice(1, -1).replaceAll(String.raw`'\''`, "'") : value;

/**
 * Reads the environment of the stack's processes.
 * @throws CliError unreachable if there is no stack
 */
export const readStackEnvironment = (context: LocalContext): Record<string, string> => {
  const lines = readStackFile(context, 'env').split('\n');
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^(\w+)=(.*)$/u.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, unquote(value)]];
    }),
  );
};
