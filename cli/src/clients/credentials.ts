import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';

const credential = z.object({
  email: z.string(),
  role: z.string(),
  token: z.string(),
  expiresAt: z.iso.datetime(),
});

const credentialFile = z.object({ credentials: z.record(z.string(), credential) });

/** A kept sign-in. */
type Credential = z.infer<typeof credential>;

/** Where sign-ins are kept: below XDG_CONFIG_HOME, else `~/.config`. */
const credentialsPath = ({ env }: CliDeps): string => {
  const given = env['XDG_CONFIG_HOME'] ?? '';
  const config = given === '' ? join(env['HOME'] ?? homedir(), '.config') : given;
  return join(config, 'goldctl', 'credentials.json');
};

/** All of them; a missing or unreadable file holds none. */
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

/** The sign-in kept for an admin API, unless it has run out. */
export const findCredential = (deps: CliDeps, key: string): Credential | undefined => {
  const found = readAll(deps)[key];
  return found !== undefined && new Date(found.expiresAt) > deps.now() ? found : undefined;
};

/** Keeps a sign-in, for its owner's eyes alone; those that have run out are dropped. */
export const keepCredential = (deps: CliDeps, key: string, kept: Credential): void => {
  const others = Object.entries(readAll(deps)).filter(
    ([name, { expiresAt }]) => name !== key && new Date(expiresAt) > deps.now(),
  );
  writeAll(deps, { ...Object.fromEntries(others), [key]: kept });
};

/** Forgets a sign-in; whether there was one. */
export const forgetCredential = (deps: CliDeps, key: string): boolean => {
  const { [key]: forgotten, ...others } = readAll(deps);
  if (forgotten !== undefined) writeAll(deps, others);
  return forgotten !== undefined;
};
