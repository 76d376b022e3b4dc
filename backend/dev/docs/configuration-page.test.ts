import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serviceSources } from '#test/tidy/source-files.ts';
import { environmentOf, longRunning, type StackAddresses } from '../stack/environment.ts';
import { readPorts } from '../stack/stack-ports.ts';
import { developmentSwitches } from '../stack/switch-files.ts';
import { configurationFile } from './configuration-file.ts';
import { configurationPage } from './configuration-page.ts';
import { configurationParts } from './configuration-parts.ts';

const listed = new Set(configurationParts.flatMap(({ variables }) => Object.keys(variables)));

it('the page of the configuration is what `npm run docs:config` writes', () => {
  expect(readFileSync(configurationFile, 'utf8')).toBe(configurationPage());
});

it('the page of the configuration lists every table of variables that the code declares', () => {
  const declared = serviceSources
    .filter(({ path }) => !path.startsWith(join('src', 'platform', 'config')))
    .filter(({ code }) => code.includes('defineVariables({'))
    .flatMap(({ code }) => [...code.matchAll(/^ {2}([A-Z][A-Z0-9_]+): \{/gmu)])
    .map(([, name]) => name ?? '');
  expect(declared.length).toBeGreaterThan(40);
  expect(declared.filter((name) => !listed.has(name))).toEqual([]);
});

it('the page of the configuration lists what the local stack sets', () => {
  const addresses: StackAddresses = {
    mode: 'development',
    ports: readPorts({}),
    databaseUrl: '',
    migrateUrl: '',
    redisUrl: '',
    settingsDir: '',
    objectsDir: '',
    sandboxDir: '',
  };
  const set = longRunning.flatMap((name) => Object.keys(environmentOf(name, addresses)));
  const unknown = new Set(
    set.filter((name) => !listed.has(name) && !(name in developmentSwitches)),
  );
  expect([...unknown]).toEqual([]);
});
