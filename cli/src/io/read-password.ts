import { readFileSync } from 'node:fs';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import type { GlobalOptions } from '../global-options.ts';

/** Removes the newline with which a file or a pipe usually ends. */
const withoutLastNewline = (text: string): string => text.replace(/\r?\n$/u, '');

const nonEmpty = (password: string): string => {
  if (password === '') throw new CliError('the password is empty', exitCodes.usage);
  return password;
};

const fromFile = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new CliError(`GOLDCTL_PASSWORD_FILE: ${path} can't be read`, exitCodes.usage);
  }
};

/** Returns the password that was passed without a terminal, or undefined if a prompt is needed. */
const givenPassword = async (
  deps: CliDeps,
  options: GlobalOptions,
): Promise<string | undefined> => {
  if (options.passwordStdin) return withoutLastNewline(await deps.stdin.readAll());
  const file = deps.env['GOLDCTL_PASSWORD_FILE'] ?? '';
  return file === '' ? undefined : withoutLastNewline(fromFile(file));
};

/**
 * Returns the password of an existing account.
 * @throws CliError usage if the password is empty or can't be read
 */
export const readPassword = async (
  deps: CliDeps,
  options: GlobalOptions,
  message: string,
): Promise<string> =>
  nonEmpty((await givenPassword(deps, options)) ?? (await deps.promptSecret(message)));

/**
 * Returns a new password. On a terminal it prompts twice.
 * @throws CliError usage if the password is empty, can't be read or is not repeated
 */
export const readNewPassword = async (
  deps: CliDeps,
  options: GlobalOptions,
  message: string,
): Promise<string> => {
  const given = await givenPassword(deps, options);
  if (given !== undefined) return nonEmpty(given);
  const first = nonEmpty(await deps.promptSecret(message));
  const second = await deps.promptSecret('Repeat the password:');
  if (first !== second) throw new CliError('the passwords do not match', exitCodes.usage);
  return first;
};
