import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { keyPrefix, parseStackConfig } from '../../src/config/parse-stack-config.ts';
import type { Release, Releases } from '../../src/config/release.ts';
import type { StackConfig, Tier } from '../../src/config/stack-config.ts';
import { migrationSecret, keyringSecret, requiredSecrets } from '../../src/config/variables.ts';

/** A stack's configuration, in the form of the `config` section of its file. */
export type StackInput = Record<string, unknown>;

const referencesSchema = z.object({ secrets: z.record(z.string(), z.unknown()) });
const fileSchema = z.object({ config: z.record(z.string(), z.unknown()) });

/** The folder of the stacks' files. */
export const deployFolder = new URL('../../', import.meta.url);

/** Reads a file of a stack, by its path from here, without the project's prefix. */
const readStackFileAt = (path: string): StackInput => {
  const text = readFileSync(new URL(path, deployFolder), 'utf8');
  const { config } = fileSchema.parse(parse(text, { merge: true }));
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key.slice(keyPrefix.length), value]),
  );
};

/** Reads the committed file of a stack. */
export const readStackFile = (tier: Tier): StackInput => readStackFileAt(`Pulumi.${tier}.yaml`);

/** The clouds that the examples have a stack of the service for. */
export const exampleClouds = ['eks', 'gke'] as const;

/** Secrets of a stack that is no testbed, none of them published. */
export const secretsOfItsOwn: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [...requiredSecrets, keyringSecret].map((name) => [name, `own-${name.toLowerCase()}-value`]),
  ),
  DATABASE_URL: 'postgresql://dgs_app:word-one@db.example/digital_gold?sslmode=verify-full',
  REDIS_URL: 'rediss://:word-three@cache.example:6380',
  [migrationSecret]: 'postgresql://dgs_migrate:word-two@db.example/digital_gold?sslmode=require',
};

/** A release that the tests know. */
export const release: Release = {
  version: '1.2.3',
  chart: { source: 'oci://registry.example/charts/digital-gold', version: '1.2.3' },
  image: {
    repository: 'registry.example/digital-gold',
    tag: '1.2.3',
    digest: `sha256:${'cd'.repeat(32)}`,
  },
};

/** The releases that the tests know. */
export const releases: Releases = {
  read: (version) => (version === release.version ? release : undefined),
  versions: () => [release.version],
};

const withoutRelease = ({ release: _release, ...rest }: StackInput): StackInput => rest;

/** The file of `prod` with its secrets, and with an image of its own in place of a release. */
export const prodInput = (): StackInput => ({
  ...withoutRelease(readStackFile('prod')),
  image: {
    repository: 'registry.example/digital-gold',
    tag: '1.2.3',
    digest: `sha256:${'ab'.repeat(32)}`,
  },
  secrets: secretsOfItsOwn,
});

/** The file of `staging` with its secrets and a release that is there. */
export const stagingInput = (): StackInput => ({
  ...readStackFile('staging'),
  release: release.version,
  secrets: secretsOfItsOwn,
});

/** Returns the configuration as Pulumi passes it: everything as text. */
export const textsOf = (input: StackInput): Record<string, string> =>
  Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      `${keyPrefix}${key}`,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );

const encrypted = [`${keyPrefix}secrets`];

/** Parses the input as the program does, with its secrets encrypted unless said otherwise. */
export const parseInput = (input: StackInput, secretKeys = encrypted): StackConfig =>
  parseStackConfig(textsOf(input), secretKeys, releases);

/** Returns the message with which the input is refused, or empty when it is accepted. */
export const refusalOf = (input: StackInput, secretKeys = encrypted): string => {
  try {
    parseInput(input, secretKeys);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/** Returns the keys that are refused, without the project's prefix. */
export const refusedKeys = (input: StackInput): readonly string[] =>
  [...refusalOf(input).matchAll(/^ {2}digital-gold:(?<key>\S+) /gmu)].map(
    ({ groups }) => groups?.['key'] ?? '',
  );

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the input with one path set. An undefined value removes it. */
export const withPath = (input: StackInput, path: string, value: unknown): StackInput => {
  const [first = '', ...rest] = path.split('.');
  if (rest.length > 0) {
    const below = input[first];
    return { ...input, [first]: withPath(isRecord(below) ? below : {}, rest.join('.'), value) };
  }
  const { [first]: _old, ...others } = input;
  return value === undefined ? others : { ...others, [first]: value };
};

/** The stack of the service on an example's cloud, with the secrets that the cloud does not give. */
export const exampleInput = (cloud: (typeof exampleClouds)[number]): StackInput => {
  const input = readStackFileAt(`../charts/examples/${cloud}/service.yaml`);
  const given = referencesSchema.parse(input['references']).secrets;
  const own = Object.entries(secretsOfItsOwn).filter(([name]) => !Object.hasOwn(given, name));
  return { ...input, release: release.version, secrets: Object.fromEntries(own) };
};
