import { isLive, problemIf, type Rule } from './problem.ts';
import { isPublishedSecret, migrationSecret, requiredSecrets, secretNames } from './variables.ts';

const areThere: Rule = ({ secrets, testbed }) => {
  if (secrets === undefined) {
    return problemIf(
      !testbed,
      'secrets',
      'is missing; only a stack with a testbed can leave it out',
    );
  }
  return [...requiredSecrets, migrationSecret].flatMap((name) =>
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

/** Rules of the secrets. No message may carry a value. */
export const secretRules: readonly Rule[] = [areThere, areKnown, areNotPublished, rolesDiffer];
