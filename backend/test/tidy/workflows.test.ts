import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { findIn, listFiles, repositoryFolder } from './source-files.ts';

const folder = join(repositoryFolder, '.github');
const pages = listFiles(folder)
  .filter((path) => path.endsWith('.yml'))
  .map((path) => ({
    path: relative(repositoryFolder, path),
    text: readFileSync(path, 'utf8'),
  }));
const workflows = pages.filter(({ path }) => path.startsWith(join('.github', 'workflows')));

const found = (pattern: RegExp): string[] =>
  pages.flatMap(({ path, text }) => findIn(path, text, pattern));

it('runs actions of others at one commit each, with the version beside it', () => {
  expect(found(/\buses: (?!\.\/)/gu).length).toBeGreaterThan(5);
  expect(found(/\buses: (?!\.\/)(?!\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+$).*$/gmu)).toEqual([]);
});

it('gives a workflow no right but those that it names', () => {
  const open = workflows.filter(({ text }) => !/^permissions:/mu.test(text));
  expect(open.map(({ path }) => path)).toEqual([]);
  expect(found(/\b(?:read|write)-all\b/gu)).toEqual([]);
});

it('leaves no token in a checkout', () => {
  const checkouts = found(/uses: actions\/checkout@/gu);
  expect(found(/persist-credentials: false/gu)).toHaveLength(checkouts.length);
});

it('puts nothing that a person typed into a shell line', () => {
  expect(found(/^\s*(?:- )?run:.*\$\{\{/gmu)).toEqual([]);
});

it('runs only make targets that are there', () => {
  const makefile = readFileSync(join(repositoryFolder, 'Makefile'), 'utf8');
  const named = pages.flatMap(({ text }) => [...text.matchAll(/\bmake (?<target>[a-z-]+)/gu)]);
  const targets = new Set(named.map(({ groups }) => groups?.['target'] ?? ''));
  expect(targets.size).toBeGreaterThan(5);
  const missing = [...targets].filter((name) => !new RegExp(`^${name}:`, 'mu').test(makefile));
  expect(missing).toEqual([]);
});

it('installs packages before a secret is within reach', () => {
  const makefile = readFileSync(join(repositoryFolder, 'Makefile'), 'utf8');
  const late = workflows.filter(({ text }) => {
    const first = text.search(/\$\{\{ secrets\.(?!GITHUB_TOKEN\b)/u);
    if (first === -1 || text.slice(0, first).includes('run: make install\n')) return false;
    const targets = [...text.matchAll(/\bmake (?<target>[a-z-]+)/gu)];
    return targets.some(({ groups }) =>
      new RegExp(`^${groups?.['target']}:[^#\n]*\\binstall\\b`, 'mu').test(makefile),
    );
  });
  expect(late.map(({ path }) => path)).toEqual([]);
});

it('has its packages, actions and tools looked at for new versions', () => {
  const updates = readFileSync(join(folder, 'dependabot.yml'), 'utf8');
  const watched = [
    ...updates.matchAll(/package-ecosystem: (?<kind>[\w-]+)\n\s+directory: (?<place>\S+)/gu),
  ].map(({ groups }) => `${groups?.['kind']} ${groups?.['place']}`);
  const goModules = listFiles(join(repositoryFolder, '.ci'))
    .filter((path) => path.endsWith('go.mod'))
    .map((path) => `gomod /${relative(repositoryFolder, dirname(path))}`);
  expect(goModules.length).toBeGreaterThan(0);
  expect(watched.toSorted()).toEqual(
    ['npm /', 'npm /charts/examples', 'github-actions /', ...goModules].toSorted(),
  );
});

it('keeps a bill of materials with every release', () => {
  const release = workflows.find(({ path }) => path.endsWith('release.yml'));
  expect(release?.text).toMatch(
    /npm sbom --package-lock-only .*>sbom\.json\n[\s\S]*path: sbom\.json/u,
  );
});
