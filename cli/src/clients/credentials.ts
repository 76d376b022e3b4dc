import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { configFolder } from '../contexts/config-folder.ts';

const credential = z.object({
  email: z.string(),
  role: z.string(),
  token: z.string(),
  expiresAt: z.iso.datetime(),
});

const credentialFile = z.object({ credentials: z.record(z.string(), credential) });

/** A stored sign-in. */
type Credential = z.infer<typeof credential>;

/** Returns the file of the sign-ins. */
const credentialsPath = (deps: CliDeps): string => join(configFolder(deps), 'credentials.json');

/** Reads all sign-ins. Returns none for a missing or unreadable file. */
const readAll = (deps: CliDeps): Record<string, Credential> => {
  try {
    const text = readFileSync(credentialsPath(deps), 'utf8');
    return credentialFile.parse(JSON.parse(text)).credentials;
  } catch {
    return {};
  }
};

const writeAll = (deps: CliDeps, credentials: Record<string, Credential>): void => {
  const path = credentialsPath(deps);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const staging = `${path}.${process.pid}`;
  writeFileSync(staging, `${JSON.stringify({ credentials }, undefined, 2)}\n`, { mode: 0o600 });
  chmodSync(staging, 0o600);
  renameSync(staging, path);
};

/** Returns the sign-in stored for an admin API, unless it has expired. */
export const findCredential = (deps: CliDeps, key: string): Credential | undefined => {
  const found = readAll(deps)[key];
  return found !== undefined && new Date(found.expiresAt) > deps.now() ? found : undefined;
};

/** Stores a sign-in, readable only by its owner, and removes expired sign-ins. */
export const keepCredential = (deps: CliDeps, key: string, newCredential: Credential): void => {
  const others = Object.entries(readAll(deps)).filter(
    ([name, { expiresAt }]) => name !== key && new Date(expiresAt) > deps.now(),
  );
  writeAll(deps, { ...Object.fromEntries(others), [key]: newCredential });
};

/** Deletes a sign-in. Returns false if there was none. */
export const forgetCredential = (deps: CliDeps, key: string): boolean => {
  const { [key]: forgotten, ...others } = readAll(deps);
  if (forgotten !== undefined) writeAll(deps, others);
  return forgotten !== undefined;
};
