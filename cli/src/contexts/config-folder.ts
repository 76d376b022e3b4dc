import { homedir } from 'node:os';
import { join } from 'node:path';
import type { CliDeps } from '../cli-deps.ts';

/** Returns the folder of goldctl's files, in XDG_CONFIG_HOME or else in `~/.config`. */
export const configFolder = ({ env }: Pick<CliDeps, 'env'>): string => {
  const given = env['XDG_CONFIG_HOME'] ?? '';
  const config = given === '' ? join(env['HOME'] ?? homedir(), '.config') : given;
  return join(config, 'goldctl');
};
