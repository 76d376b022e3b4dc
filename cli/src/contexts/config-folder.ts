import { homedir } from 'node:os';
import { join } from 'node:path';
import type { CliDeps } from '../cli-deps.ts';

/** Returns goldctl's folder of the user: below XDG_CONFIG_HOME, else `~/.config`. */
export const configFolder = ({ env }: Pick<CliDeps, 'env'>): string => {
  const given = env['XDG_CONFIG_HOME'] ?? '';
  const config = given === '' ? join(env['HOME'] ?? homedir(), '.config') : given;
  return join(config, 'goldctl');
};
