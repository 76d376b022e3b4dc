import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { readDatabaseAddress } from './database-address.ts';
import { spreadHosts } from './several-hosts.ts';

/** The kinds of store whose connections need TLS and a password in production. */
type Store = 'database' | 'cache';

const encryptingModes: ReadonlySet<string> = new Set(['require', 'verify-ca', 'verify-full']);
const trueTexts: ReadonlySet<string> = new Set(['true', '1']);

const isEncrypted = (url: URL, store: Store): boolean => {
  if (store === 'cache') return url.protocol.startsWith('rediss');
  // Every value is checked, since the driver takes the last of two that disagree.
  const modes = url.searchParams.getAll('sslmode');
  const switches = url.searchParams.getAll('ssl');
  // As libpq reads `require`, it accepts any certificate. As the driver reads it, the certificate
  // is checked.
  if (url.searchParams.has('uselibpqcompat') && modes.includes('require')) return false;
  return (
    modes.length + switches.length > 0 &&
    modes.every((mode) => encryptingModes.has(mode)) &&
    switches.every((text) => trueTexts.has(text))
  );
};

/** Returns true for an address whose connection is encrypted and needs a password. */
const isSecuredStore = (address: string, store: Store): boolean => {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  return url.password !== '' && isEncrypted(url, store);
};

/** A documented environment variable. */
export interface Variable<S extends z.ZodType = z.ZodType> {
  /** Parses the text of the variable. Returns the default if the text is absent. */
  readonly schema: S;
  readonly doc: string;
  /**
   * Marks a value that is never printed and may come from the file that `NAME_FILE` names.
   * Production refuses the secrets that this repository publishes.
   */
  readonly secret?: true;
  /**
   * Marks the address of a store. Production refuses an address without TLS and a password, unless
   * `ALLOW_PLAIN_STORES=true` says that the network is trusted.
   */
  readonly store?: Store;
}

export type VariableTable = Readonly<Record<string, Variable>>;

export type Config<T extends VariableTable> = {
  readonly [K in keyof T]: z.output<T[K]['schema']>;
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** Lists the faults of the environment, one line for each variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Declares variables. Returns them unchanged, with the rows checked and their types kept. */
export const defineVariables = <const T extends VariableTable>(table: T): T => table;

const isMissingFile = (error: unknown): boolean =>
  error instanceof Error && Reflect.get(error, 'code') === 'ENOENT';

/**
 * Reads a variable. A secret is read from its file if the file is named. A variable that may be
 * absent is absent if its file is missing, since a mounted Secret need not have every key.
 */
const readText = (name: string, variable: Variable, env: Environment): string | undefined => {
  const file = env[`${name}_FILE`];
  if (variable.secret === true && file !== undefined && file !== '') {
    try {
      return readFileSync(file, 'utf8').replace(/\n$/u, '') || undefined;
    } catch (error) {
      if (isMissingFile(error) && variable.schema.safeParse(undefined).success) return undefined;
      throw error;
    }
  }
  const text = env[name];
  return text === '' ? undefined : text;
};

type ReadValue = { readonly text: string | undefined } | { readonly problem: string };

/** Reads a variable. A database's address may be given in parts. */
const readValue = (
  name: string,
  variable: Variable,
  { table, env }: { readonly table: VariableTable; readonly env: Environment },
): ReadValue => {
  if (variable.store === 'cache') {
    const text = readText(name, variable, env);
    return text === undefined ? { text } : spreadHosts(text);
  }
  if (variable.store === undefined) return { text: readText(name, variable, env) };
  return readDatabaseAddress(name, (part) => {
    const row = table[part];
    // While the parts are given, the whole address is not read from a file.
    if (part === name && env['DATABASE_HOST']) return env[name] || undefined;
    return row === undefined ? undefined : readText(part, row, env);
  });
};

/**
 * Every secret that this repository publishes contains one of these marks, in clear or in base64.
 */
const publishedMarks = ['dev-only-', Buffer.from('dev-only-').toString('base64')];

const isPublished = (text: string): boolean => publishedMarks.some((mark) => text.includes(mark));

/** Returns true unless APP_MODE names another mode. An empty APP_MODE counts as absent. */
export const isProduction = (env: Environment): boolean =>
  (env['APP_MODE'] || 'production') === 'production';

const allowsPlainStores = (env: Environment): boolean => env['ALLOW_PLAIN_STORES'] === 'true';

/**
 * Lists the problems that production has with a variable that parses. They don't contain its value.
 */
const productionProblems = (
  name: string,
  { secret, store }: Variable,
  text: string,
  env: Environment,
): string[] => {
  const problems: string[] = [];
  if (secret === true && isPublished(text)) {
    problems.push(`${name}: is a published development secret, refused in production`);
  }
  if (store !== undefined && !allowsPlainStores(env) && !isSecuredStore(text, store)) {
    problems.push(`${name}: needs TLS and a password in production, or ALLOW_PLAIN_STORES=true`);
  }
  return problems;
};

/**
 * Parses the environment once, strictly. A secret may come from the file that `NAME_FILE` names.
 * `APP_MODE=production` (the default) refuses a secret that this repository publishes, and a
 * store's address without TLS and a password.
 * @throws ConfigError naming every variable that is missing or wrong, and never its value.
 */
export const parseConfig = <const T extends VariableTable>(
  table: T,
  env: Environment,
): Config<T> => {
  const production = isProduction(env);
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, variable] of Object.entries(table)) {
    try {
      const read = readValue(name, variable, { table, env });
      if ('problem' in read) {
        problems.push(`${name}: ${read.problem}`);
        continue;
      }
      const { text } = read;
      const parsed = variable.schema.safeParse(text);
      if (parsed.success) values[name] = parsed.data;
      else {
        const why = parsed.error.issues.map((issue) => issue.message).join('; ');
        problems.push(`${name}: ${text === undefined ? 'is missing' : why} (${variable.doc})`);
      }
      if (production && text !== undefined) {
        problems.push(...productionProblems(name, variable, text, env));
      }
    } catch {
      problems.push(`${name}_FILE: cannot be read`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  // Every key of the table was parsed by its own schema above.
  return values as Config<T>;
};
