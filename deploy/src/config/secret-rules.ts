import { isLive, problemIf, type Rule } from './problem.ts';
import type { StackKeys } from './stack-config.ts';
import {
  isPublishedSecret,
  keyringSecret,
  migrationSecret,
  partsOfAddresses,
  requiredSecrets,
  secretNames,
} from './variables.ts';

const holdsKeysElsewhere = ({ KEY_SERVICE: service = 'none' }: Readonly<Record<string, string>>) =>
  service !== 'none';

const placesOf = ({ secrets = {}, secretsFrom, references }: StackKeys, name: string) =>
  Object.entries({ secrets, secretsFrom, 'references.secrets': references.secrets }).flatMap(
    ([place, names]) => (Object.hasOwn(names, name) ? [place] : []),
  );

/**
 * Returns true if a stack sets a secret. A database's address may be set as a whole or in parts.
 */
const isSet = (config: StackKeys, name: string): boolean => {
  if (placesOf(config, name).length > 0) return true;
  const parts = partsOfAddresses[name] ?? [];
  const isPartSet = (part: string) =>
    Object.hasOwn(config.secretsFrom, part) || Object.hasOwn(config.environment, part);
  return parts.length > 0 && parts.every(isPartSet);
};

const requiredAreSet: Rule = (config) => {
  const { secrets, secretsFrom, references, testbed, environment } = config;
  const others = [...Object.keys(secretsFrom), ...Object.keys(references.secrets)];
  if (secrets === undefined && others.length === 0) {
    return problemIf(
      !testbed,
      'secrets',
      'is missing; only a stack with a testbed can leave it out',
    );
  }
  const keys = holdsKeysElsewhere(environment) ? [] : [keyringSecret];
  return [...requiredSecrets, ...keys, migrationSecret].flatMap((name) =>
    problemIf(
      !isSet(config, name),
      `secrets.${name}`,
      'is missing; set it with --secret, or name a Secret in `secretsFrom`',
    ),
  );
};

const areInOnePlace: Rule = (config) =>
  secretNames.flatMap((name) => {
    const [first, second] = placesOf(config, name);
    return problemIf(
      second !== undefined,
      `${second}.${name}`,
      `is in \`${first}\` too; one of them must go`,
    );
  });

const notKnown = (path: string, names: readonly string[], allowed: readonly string[]) =>
  names.flatMap((name) =>
    problemIf(
      !allowed.includes(name),
      `${path}.${name}`,
      `is not a secret of the service; allowed are ${allowed.join(', ')}`,
    ),
  );

const areKnown: Rule = ({ secrets = {}, secretsFrom, references }) => [
  ...notKnown('secrets', Object.keys(secrets), secretNames),
  ...notKnown('references.secrets', Object.keys(references.secrets), secretNames),
  ...notKnown('secretsFrom', Object.keys(secretsFrom), [
    ...secretNames,
    'DATABASE_PORT',
    ...Object.values(partsOfAddresses).flat(),
  ]),
];

const areNotPublished: Rule = (config) =>
  Object.entries(config.secrets ?? {}).flatMap(([name, value]) =>
    problemIf(
      isLive(config) && isPublishedSecret(value),
      `secrets.${name}`,
      'is a published development secret; production mode needs a new one',
    ),
  );

/**
 * Reads an address. If it has several hosts, only the first is read, since URL parsers accept only
 * one.
 */
const readAddress = (text: string): URL | undefined => {
  const single = text.replace(/^([\w+]+:\/\/(?:[^@/]*@)?[^,/?]*),[^/?]*/u, '$1');
  return URL.canParse(single) ? new URL(single) : undefined;
};

const userOf = (url: string | undefined): string | undefined =>
  url === undefined ? undefined : readAddress(url)?.username;

const rolesDiffer: Rule = ({ tier, secrets = {} }) => {
  const owner = userOf(secrets[migrationSecret]);
  return problemIf(
    tier === 'prod' && owner !== undefined && owner === userOf(secrets['DATABASE_URL']),
    `secrets.${migrationSecret}`,
    'names the role of DATABASE_URL; the role that owns the schema must be another one',
  );
};

const encryptingModes = new Set(['require', 'verify-ca', 'verify-full']);

const encrypts = (url: URL): boolean => {
  if (url.protocol.startsWith('redis')) return url.protocol.startsWith('rediss');
  const modes = url.searchParams.getAll('sslmode');
  return modes.length > 0 && modes.every((mode) => encryptingModes.has(mode));
};

const isSecured = (address: string): boolean => {
  const url = readAddress(address);
  return url !== undefined && url.password !== '' && encrypts(url);
};

/**
 * Refuses addresses that the processes would refuse in production mode, before anything is changed.
 */
const storesAreSecured: Rule = (config) =>
  ['DATABASE_URL', 'REDIS_URL', migrationSecret].flatMap((name) => {
    const address = config.secrets?.[name];
    const isAllowed = config.environment['ALLOW_PLAIN_STORES'] === 'true';
    return problemIf(
      isLive(config) && !isAllowed && address !== undefined && !isSecured(address),
      `secrets.${name}`,
      'needs TLS and a password in production mode, or environment.ALLOW_PLAIN_STORES of true',
    );
  });

/** The rules of secrets. No message may contain a value. */
export const secretRules: readonly Rule[] = [
  requiredAreSet,
  areInOnePlace,
  areKnown,
  areNotPublished,
  rolesDiffer,
  storesAreSecured,
];
