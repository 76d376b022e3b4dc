import { z } from 'zod';
import { integer, text } from './kinds.ts';
import { spreadHosts } from './several-hosts.ts';

/** Certificate checks of a connection to PostgreSQL, in libpq's words. */
const sslModes = ['require', 'verify-ca', 'verify-full'] as const;

/**
 * The parts of the database's address, for a Secret that holds them separately, as operators of
 * PostgreSQL on Kubernetes write it. User and password are those of the application's role.
 */
export const databasePartVariables = {
  DATABASE_HOST: {
    schema: text().optional(),
    doc: 'host of the database, in place of DATABASE_URL, or several hosts with commas between',
  },
  DATABASE_PORT: { schema: integer(5432, 1, 65_535), doc: 'its port, beside DATABASE_HOST' },
  DATABASE_NAME: { schema: text().optional(), doc: 'its name, beside DATABASE_HOST' },
  DATABASE_USER: {
    schema: text().optional(),
    doc: "the application's role, beside DATABASE_HOST",
  },
  DATABASE_PASSWORD: {
    schema: text().optional(),
    doc: "password of the application's role, beside DATABASE_HOST",
    secret: true,
  },
  DATABASE_POOLER: {
    schema: z.enum(['transaction']).optional(),
    doc: '`transaction` where the address leads to a pooler in that mode (docs/scale.md)',
  },
  DATABASE_SSLMODE: {
    schema: z.enum(sslModes).optional(),
    doc: 'TLS of the connection, whatever the address says: `require`, `verify-ca`, `verify-full`',
  },
  DATABASE_CA_FILE: {
    schema: text().optional(),
    doc: "file with the certificate authority of the database's certificate",
  },
} as const;

/** Reads the text of a variable, or of the file that it names. */
type ReadVariable = (name: string) => string | undefined;

/** The addresses that may be given in parts. Any other address leads to another database. */
const inParts: ReadonlySet<string> = new Set(['DATABASE', 'MIGRATE_DATABASE']);

/**
 * Returns a host and its port in the form of an address, in which an IPv6 address has brackets.
 */
const placeOf = (host: string, port: string): string =>
  `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;

const noHost = { problem: 'DATABASE_HOST names an invalid host' };

const fromParts = (prefix: string, read: ReadVariable): URL | typeof noHost | undefined => {
  const given = read('DATABASE_HOST');
  if (given === undefined || !inParts.has(prefix)) return undefined;
  const port = read('DATABASE_PORT') ?? '5432';
  const hosts = given.split(',').map((host) => placeOf(host.trim(), port));
  const spread = spreadHosts(`postgresql://${hosts.join(',')}`);
  if ('problem' in spread || !URL.canParse(spread.text)) return noHost;
  const url = new URL(spread.text);
  url.pathname = `/${encodeURIComponent(read('DATABASE_NAME') ?? '')}`;
  url.username = encodeURIComponent(read(`${prefix}_USER`) ?? '');
  url.password = encodeURIComponent(read(`${prefix}_PASSWORD`) ?? '');
  return url;
};

const missingPart = (prefix: string, read: ReadVariable): string | undefined =>
  ['DATABASE_NAME', `${prefix}_USER`].find((name) => read(name) === undefined);

/** The address of a database, or the reason why there is none. */
export type DatabaseAddress = { readonly text: string | undefined } | { readonly problem: string };

/**
 * Builds a database's address: the URL as given, or its parts, either with one host or with
 * several. The TLS settings of `DATABASE_SSLMODE` and `DATABASE_CA_FILE` replace those of the URL.
 * `DATABASE_URL` and `MIGRATE_DATABASE_URL` share all parts but user and password. Only the first
 * may point to the pooler of `DATABASE_POOLER`.
 */
export const readDatabaseAddress = (name: string, read: ReadVariable): DatabaseAddress => {
  const prefix = name.replace(/_URL$/u, '');
  const spread = spreadHosts(read(name) ?? '');
  if ('problem' in spread) return spread;
  const given = spread.text === '' ? undefined : spread.text;
  const parts = fromParts(prefix, read);
  if (parts !== undefined && !(parts instanceof URL)) return parts;
  if (given !== undefined && parts !== undefined) {
    return { problem: 'is given beside DATABASE_HOST: leave one of them out' };
  }
  const missing = parts === undefined ? undefined : missingPart(prefix, read);
  if (missing !== undefined) return { problem: `${missing} is needed beside DATABASE_HOST` };
  const mode = read('DATABASE_SSLMODE');
  const authority = read('DATABASE_CA_FILE');
  const isPooled = name === 'DATABASE_URL' && read('DATABASE_POOLER') !== undefined;
  if (parts === undefined) {
    const isPlain = mode === undefined && authority === undefined && !isPooled;
    // The variable's own schema refuses a text that is no address.
    if (given === undefined || isPlain || !URL.canParse(given)) return { text: given };
  }
  const url = parts ?? new URL(given ?? '');
  if (mode !== undefined) {
    for (const other of ['ssl', 'uselibpqcompat']) url.searchParams.delete(other);
    url.searchParams.set('sslmode', mode);
  }
  if (authority !== undefined) url.searchParams.set('sslrootcert', authority);
  if (isPooled) url.searchParams.set('pgbouncer', 'true');
  return { text: url.href };
};
