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
  const bases = lines.flatMap((line) => {
    const [, base, name] = /^FROM (?:--platform=\S+ )?(\S+) AS (\S+)$/u.exec(line) ?? [];
    return base === undefined ? [] : [{ base, name }];
  });
  const own = new Set(bases.map(({ name }) => name));
  const foreign = bases.map(({ base }) => base).filter((name) => !own.has(name));
  expect(new Set(foreign)).toEqual(new Set(['${NODE_IMAGE}']));
  const given = lines.find((line) => line.startsWith('ARG NODE_IMAGE='));
  expect(given).toMatch(/^ARG NODE_IMAGE=node:24\.[\d.]+-bookworm-slim@sha256:[0-9a-f]{64}$/u);
});

it('starts every process below an init, which ends one that is still loading', () => {
  expect(lines).toContain('ENTRYPOINT ["/usr/bin/tini", "--"]');
  expect(lines.join('\n')).toMatch(/apt-get download "tini:/u);
});

it('runs no command as the target, so that one machine builds for every processor', () => {
  const stages = lines
    .join('\n')
    .split(/^(?=FROM )/mu)
    .slice(1);
  const native = /^FROM (?:--platform=\$BUILDPLATFORM|manifests )/u;
  const foreign = stages.filter((stage) => !native.test(stage));
  expect(foreign.map((stage) => / AS (\S+)/u.exec(stage)?.[1])).toEqual(['runtime']);
  expect(foreign.join('\n')).not.toMatch(/^RUN /mu);
});

const trim = (folder: string): void => {
  const script = join(repositoryFolder, 'backend', 'docker', 'trim-packages.mjs');
  execFileSync(process.execPath, [script, folder, 'backend']);
};

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
  trim(root);

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

it('keeps the texts of licences, no other documentation, and no tools', () => {
  const folder = join(root, 'licences');
  const manifest = { dependencies: { one: '*' } };
  mkdirSync(join(folder, 'backend'), { recursive: true });
  mkdirSync(join(folder, 'node_modules', 'one'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{}');
  writeFileSync(join(folder, 'backend', 'package.json'), JSON.stringify(manifest));
  const kept = ['LICENSE.md', 'licence.markdown', 'NOTICE.md', 'COPYING', 'LICENSE-MIT.md'];
  for (const name of [...kept, 'README.md', 'CHANGELOG.md', 'index.d.ts']) {
    writeFileSync(join(folder, 'node_modules', 'one', name), '');
  }
  writeFileSync(join(folder, 'node_modules', 'one', 'package.json'), JSON.stringify({}));
  mkdirSync(join(folder, 'node_modules', 'one', '.yarn', 'releases'), { recursive: true });
  trim(folder);
  const left = readdirSync(join(folder, 'node_modules', 'one'));
  expect(left.toSorted()).toEqual([...kept, 'package.json'].toSorted());
});
