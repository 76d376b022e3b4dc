import { isLive, problemIf, type Rule } from './problem.ts';
import {
  isPublishedSecret,
  keyringSecret,
  migrationSecret,
  requiredSecrets,
  secretNames,
} from './variables.ts';

const holdsKeysElsewhere = ({ KEY_SERVICE: service = 'none' }: Readonly<Record<string, string>>) =>
  service !== 'none';

const areThere: Rule = ({ secrets, testbed, environment }) => {
  if (secrets === undefined) {
    return problemIf(
      !testbed,
      'secrets',
      'is missing; only a stack with a testbed can leave it out',
    );
  }
  const keys = holdsKeysElsewhere(environment) ? [] : [keyringSecret];
  return [...requiredSecrets, ...keys, migrationSecret].flatMap((name) =>
    problemIf(secrets[name] === undefined, `secrets.${name}`, 'is missing; set it with --secret'),
  );
};

const areKnown: Rule = ({ secrets = {} }) =>
  Object.keys(secrets).flatMap((name) =>
    problemIf(
      !secretNames.includes(name),
      `secrets.${name}`,
      `is not a secret of the service; allowed are ${secretNames.join(', ')}`,
    ),
  );

const areNotPublished: Rule = (config) =>
  Object.entries(config.secrets ?? {}).flatMap(([name, value]) =>
    problemIf(
      isLive(config) && isPublishedSecret(value),
      `secrets.${name}`,
      'is a published development secret; production mode needs a new one',
    ),
  );

const userOf = (url: string | undefined): string | undefined =>
  url !== undefined && URL.canParse(url) ? new URL(url).username : undefined;

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
  if (url.protocol.startsWith('redis')) return url.protocol === 'rediss:';
  const modes = url.searchParams.getAll('sslmode');
  return modes.length > 0 && modes.every((mode) => encryptingModes.has(mode));
};

const isSecured = (address: string): boolean => {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  return url.password !== '' && encrypts(url);
};

/** Refuses what the processes would refuse in production mode, before anything is changed. */
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

/** Rules of the secrets. No message may carry a value. */
export const secretRules: readonly Rule[] = [
  areThere,
  areKnown,
  areNotPublished,
  rolesDiffer,
  storesAreSecured,
];
