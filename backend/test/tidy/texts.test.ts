import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { findIn, listFiles, repositoryFolder } from './source-files.ts';

const isText = /\.(?:ts|js|mjs|json|ya?ml|md|sql|prisma|sh|toml|tpl|txt|html)$|\/[A-Z.][\w.]*$/u;

const texts = listFiles(repositoryFolder)
  .filter((path) => isText.test(path) && !path.endsWith('texts.test.ts'))
  .map((path) => ({
    path: relative(repositoryFolder, path),
    text: readFileSync(path, 'utf8'),
  }));

it('names no path of one machine: make it relative, or an argument', () => {
  const machinePath = /(?<![\w.@:/-])\/(?:work|root|Users|home\/(?!node\b)\w+)\/[\w.-]*/gu;
  expect(texts.flatMap(({ path, text }) => findIn(path, text, machinePath))).toEqual([]);
});

it('fetches packages from wherever npm is told to: the lock file names no host', () => {
  const lock = readFileSync(join(repositoryFolder, 'package-lock.json'), 'utf8');
  const hosts = [...lock.matchAll(/"resolved":\s*"(https?:\/\/[^/"]+)/gu)].map(([, host]) => host);
  expect(hosts).toEqual([]);
});

it('sets no registry', () => {
  const registry = /^\s*(?:@[\w-]+:)?registry\s*=|_authToken|--registry\b|--index-url\b/gmu;
  expect(texts.flatMap(({ path, text }) => findIn(path, text, registry))).toEqual([]);
});

it('runs no scripts of packages, and has none that would not run then', () => {
  const settings = readFileSync(join(repositoryFolder, '.npmrc'), 'utf8').split('\n');
  expect(settings).toContain('ignore-scripts=true');
  const hook = /^\s*"(?:(?:pre|post)\w+|prepare|install)(?::\w+)*": "/gmu;
  const packages = texts.filter(({ path }) => path.endsWith('package.json'));
  expect(packages.length).toBeGreaterThan(5);
  expect(packages.flatMap(({ path, text }) => findIn(path, text, hook))).toEqual([]);
});

it('publishes only secrets that production refuses', () => {
  const key = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----|\bAKIA[0-9A-Z]{16}\b|\bghp_\w{36}\b/gu;
  expect(texts.flatMap(({ path, text }) => findIn(path, text, key))).toEqual([]);
});
