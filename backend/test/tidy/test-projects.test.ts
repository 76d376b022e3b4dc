import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import config from '../../vitest.config.ts';
import { allSources, backendFolder } from './source-files.ts';

/** It runs a file of `fast` once more, on another store. */
const repeats = 's3';

const files = new Map<string, readonly string[]>();
for (const project of config.test?.projects ?? []) {
  if (typeof project !== 'object' || !('test' in project)) continue;
  const { name, include = [], exclude = [] } = project.test ?? {};
  if (typeof name === 'string') files.set(name, globSync(include, { cwd: backendFolder, exclude }));
}

it('runs each test file in exactly one project', () => {
  const run = [...files].flatMap(([project, paths]) => (project === repeats ? [] : paths));
  const tests = allSources.filter(({ path }) => path.endsWith('.test.ts'));
  expect(run.toSorted()).toEqual(tests.map(({ path }) => path));
});

it.each([
  ['unit', 'src/money/rounding.test.ts', 'opens nothing'],
  ['unit', 'src/adapters/object-store/s3/s3-store.test.ts', 'serves HTTP itself'],
  ['fast', 'src/modules/buying/buys.test.ts', 'has a database by way of a file that it imports'],
  ['fast', 'test/tidy/image.test.ts', 'starts a process'],
  ['stories', 'test/buy/happy-path.test.ts', 'starts the whole system'],
])('runs in %s: %s, which %s', (project, path) => {
  expect(files.get(project)).toContain(path);
});
