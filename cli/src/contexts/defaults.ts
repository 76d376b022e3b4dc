import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliDeps } from '../cli-deps.ts';
import { configFolder } from './config-folder.ts';

/** The context and the namespace that commands use if none is given. */
export interface Defaults {
  readonly context?: string;
  readonly namespace?: string;
}

const pathOf = (deps: Pick<CliDeps, 'env'>): string => join(configFolder(deps), 'defaults.json');

const textIn = (value: object, name: string): string | undefined => {
  const found: unknown = Object.entries(value).find(([key]) => key === name)?.[1];
  return typeof found === 'string' && found !== '' ? found : undefined;
};

/** Reads the saved defaults. Returns no defaults if the file is missing or cannot be parsed. */
export const readDefaults = (deps: Pick<CliDeps, 'env'>): Defaults => {
  try {
    const read: unknown = JSON.parse(readFileSync(pathOf(deps), 'utf8'));
    if (typeof read !== 'object' || read === null) return {};
    const [context, namespace] = [textIn(read, 'context'), textIn(read, 'namespace')];
    return {
      ...(context !== undefined && { context }),
      ...(namespace !== undefined && { namespace }),
    };
  } catch {
    return {};
  }
};

/** Replaces the saved defaults. Empty defaults delete them. */
export const saveDefaults = (deps: Pick<CliDeps, 'env'>, defaults: Defaults): void => {
  const path = pathOf(deps);
  mkdirSync(configFolder(deps), { recursive: true, mode: 0o700 });
  const staging = `${path}.${process.pid}`;
  writeFileSync(staging, `${JSON.stringify(defaults, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(staging, path);
};
