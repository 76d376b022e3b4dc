import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { configKeys } from '../src/config/config-keys.ts';
import { withConfigTable } from '../src/config/config-table.ts';
import { tiers, type Tier } from '../src/config/stack-config.ts';
import {
  migrationSecret,
  optionalSecrets,
  passwordsOfParts,
  processSecrets,
  requiredSecrets,
} from '../src/config/variables.ts';
import { processes } from '../src/processes.ts';
import {
  deployFolder,
  parseInput,
  readStackFile,
  refusalOf,
  refusedKeys,
  release,
  secretsOfItsOwn,
  type StackInput,
} from './support/stack-texts.ts';

const read = (path: string): string => readFileSync(new URL(path, deployFolder), 'utf8');

/** Names of the rows in a section of the backend's configuration reference. */
const variablesOf = (section: string) =>
  [
    ...section.matchAll(
      /^\| `(?<name>[A-Z0-9_]+)`(?<secret> \(secret\))? \| (?<value>[^|]+) \| (?<doc>.+) \|$/gmu,
    ),
  ]
    .map(({ groups }) => groups)
    .filter((groups) => groups !== undefined);

const reference = read('../backend/docs/configuration.md').split('\n## ').slice(1);
const sectionsOfTheChart = reference.filter((section) => !section.startsWith('Sandbox\n'));

/** The file as it is committed first, before somebody set its secrets in it. */
const withoutSecrets = (tier: Tier): StackInput => {
  const { secrets: _secrets, ...rest } = readStackFile(tier);
  return rest;
};

describe('the stack files', () => {
  it('are one for each tier', () => {
    const files = readdirSync(deployFolder).filter((name) => /^Pulumi\..+\.yaml$/u.test(name));
    expect(files.toSorted()).toEqual(tiers.map((tier) => `Pulumi.${tier}.yaml`).toSorted());
    for (const tier of tiers) expect(readStackFile(tier)['tier']).toBe(tier);
  });

  it('of dev is taken as it is', () => {
    expect(refusalOf(withoutSecrets('dev'))).toBe('');
  });

  it.each(['staging', 'prod'] as const)('of %s lacks its secrets and its release alone', (tier) => {
    expect(new Set(refusedKeys(withoutSecrets(tier)))).toEqual(new Set(['release', 'secrets']));
    const released = { release: release.version, secrets: secretsOfItsOwn };
    expect(parseInput({ ...readStackFile(tier), ...released }).tier).toBe(tier);
  });

  it.each(tiers)('of %s holds no secret in clear', (tier) => {
    const secrets: unknown = readStackFile(tier)['secrets'] ?? {};
    for (const value of Object.values(secrets ?? {})) {
      expect(value).toEqual({ secure: expect.any(String) });
    }
  });
});

const isGiven = (name: string | undefined) =>
  passwordsOfParts.every((password) => password !== name);

describe('the lists of secrets', () => {
  const rows = sectionsOfTheChart.flatMap(variablesOf);
  const known: readonly string[] = [...requiredSecrets, ...optionalSecrets, migrationSecret];

  it('name every secret that the backend documents', () => {
    const documented = rows.filter(({ secret }) => secret !== undefined).map(({ name }) => name);
    expect(documented.length).toBeGreaterThan(5);
    expect(new Set(known)).toEqual(new Set(documented.filter(isGiven)));
  });

  it('give each process those that it reads', () => {
    for (const process of processes) {
      const read = sectionsOfTheChart.flatMap((section) => {
        const readers = /^Read by: (?<who>[^.]+)\.$/mu.exec(section)?.groups?.['who'] ?? '';
        return variablesOf(section)
          .filter(({ secret }) => secret !== undefined)
          .filter(({ doc }) => !doc?.includes('read by customer alone') || process === 'customer')
          .filter(() =>
            readers
              .replace(/, where .*/u, '')
              .split(', ')
              .includes(process),
          )
          .map(({ name }) => name)
          .filter(isGiven);
      });
      expect(new Set(processSecrets[process])).toEqual(new Set(read));
    }
  });

  it('are those that the chart mounts', () => {
    const template = read('../charts/digital-gold/templates/_secrets.tpl');
    const mounted = [...template.matchAll(/"(?<name>[A-Z][A-Z0-9_]{4,})"/gu)];
    const names = mounted.map(({ groups }) => groups?.['name']);
    const expected = [...Object.values(processSecrets).flat(), 'DATABASE_PASSWORD'];
    expect(new Set(names)).toEqual(new Set(expected));
  });

  it('require those without which a process does not start', () => {
    const always = sectionsOfTheChart.filter((section) => !/, where `/u.test(section));
    const required = always
      .flatMap(variablesOf)
      .filter(({ secret, value }) => secret !== undefined && value === 'required')
      .map(({ name }) => name);
    expect(new Set([...requiredSecrets, migrationSecret])).toEqual(new Set(required));
  });
});

describe('the documentation', () => {
  it('says what every key is', () => {
    expect(configKeys.filter(({ doc }) => doc === '')).toEqual([]);
  });

  it('has the table of keys as the program reads them (npm run docs:config -w deploy)', () => {
    const page = read('docs/stacks.md');
    expect(withConfigTable(page)).toBe(page);
  });
});

it('runs the program as ES modules through tsx, as the stack files of Pulumi need', () => {
  expect(parse(read('Pulumi.yaml'))).toMatchObject({
    name: 'digital-gold',
    main: 'src/main.ts',
    runtime: { name: 'nodejs', options: { typescript: false, nodeargs: '--import=tsx' } },
  });
});
