import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
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

const root = mkdtempSync(join(tmpdir(), 'digital-gold-image-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

it('leaves what the database client loads at run time, and no other query compiler', () => {
  const runtime = join(root, 'node_modules', '@prisma', 'client', 'runtime');
  mkdirSync(runtime, { recursive: true });
  mkdirSync(join(root, 'backend'));
  const write = (path: string, content: object) =>
    writeFileSync(join(root, path), JSON.stringify(content));
  write('package.json', {});
  write('backend/package.json', { dependencies: { '@prisma/client': '*' } });
  write('node_modules/@prisma/client/package.json', { name: '@prisma/client' });
  const real = join(repositoryFolder, 'node_modules', '@prisma', 'client', 'runtime');
  for (const name of readdirSync(real)) writeFileSync(join(runtime, name), '');
  const script = join(repositoryFolder, 'backend', 'docker', 'trim-packages.mjs');
  execFileSync(process.execPath, [script, root, 'backend']);

  const generated = join(repositoryFolder, 'backend/src/generated/prisma/internal/class.ts');
  const loaded = readFileSync(generated, 'utf8').matchAll(/@prisma\/client\/runtime\/([\w.-]+)/gu);
  const names = new Set([...loaded].map((match) => match[1] ?? ''));
  expect(names.size).toBeGreaterThan(1);
  const isThere = (name: string): boolean =>
    [name, `${name}.mjs`, `${name}.js`].some((file) => existsSync(join(runtime, file)));
  expect([...names].filter((name) => !isThere(name))).toEqual([]);
  const compilers = readdirSync(runtime).filter((name) => name.startsWith('query_compiler_'));
  expect(compilers.filter((name) => !name.includes('small_bg.postgresql'))).toEqual([]);
});
