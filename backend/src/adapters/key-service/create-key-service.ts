import { z } from 'zod';
import { defineVariables, parseConfig, type Environment } from '../../platform/config/config.ts';
import { integer } from '../../platform/config/kinds.ts';
import type { AdapterDeps, Closable } from '../adapter-deps.ts';
import { parseAdapterConfig } from '../parse-adapter-config.ts';
import { createAwsKms } from './aws-kms/create-aws-kms.ts';
import { awsKmsVariables } from './aws-kms/aws-kms.config.ts';
import type { KeyService } from './port.ts';
import { createVaultTransit } from './vault-transit/create-vault-transit.ts';
import { vaultTransitVariables } from './vault-transit/vault-transit.config.ts';

export const keyServiceVariables = defineVariables({
  KEY_SERVICE: {
    schema: z.enum(['none', 'aws-kms', 'vault-transit']).default('none'),
    doc: 'what wraps the keys of personal data: `none` (PII_KEYRING alone), `aws-kms` or `vault-transit`',
  },
  KEY_SERVICE_SEALS: {
    schema: z.enum(['true', 'false']).default('true'),
    doc: '`false`: PII_KEYRING seals again, and keys of the service only open; to leave it',
  },
  KEY_SERVICE_CACHE_SECONDS: {
    schema: integer(3600, 60, 86_400),
    doc: 'how long a process uses a key after the service gave it, in seconds',
  },
});

const makers = {
  none: () => undefined,
  'aws-kms': (env: Environment, deps: AdapterDeps) =>
    createAwsKms(parseAdapterConfig(awsKmsVariables, env), deps),
  'vault-transit': (env: Environment, deps: AdapterDeps) =>
    createVaultTransit(parseAdapterConfig(vaultTransitVariables, env), deps),
} as const;

/**
 * Creates the key service that the environment names, or undefined if it names none.
 * @throws ConfigError that names every missing or wrong variable
 */
export const createKeyService = (
  env: Environment,
  deps: AdapterDeps,
): (KeyService & Closable) | undefined =>
  makers[parseConfig(keyServiceVariables, env).KEY_SERVICE](env, deps);
