import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryFolder } from './source-files.ts';

const lines = readFileSync(join(repositoryFolder, 'backend', 'Dockerfile'), 'utf8').split('\n');

it('builds the image on one base, named by its digest', () => {
  const bases = lines.filter((line) => line.startsWith('FROM '));
  const own = new Set(bases.map((line) => line.split(' ')[3]));
  const foreign = bases.map((line) => line.split(' ')[1] ?? '').filter((name) => !own.has(name));
  expect(new Set(foreign)).toEqual(new Set(['${NODE_IMAGE}']));
  const given = lines.find((line) => line.startsWith('ARG NODE_IMAGE='));
  expect(given).toMatch(/^ARG NODE_IMAGE=node:24\.[\d.]+-bookworm-slim@sha256:[0-9a-f]{64}$/u);
});

it('starts every process below an init, which ends one that is still loading', () => {
  expect(lines).toContain('ENTRYPOINT ["/usr/bin/tini", "--"]');
  expect(lines.join('\n')).toMatch(/apt-get install .*\btini\b/u);
});
