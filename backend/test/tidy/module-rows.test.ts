import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allSources, backendFolder } from './source-files.ts';

/** The row of each module in ARCHITECTURE.md, the lowest first. */
const rowOf = new Map<string, number>();
const page = readFileSync(join(backendFolder, 'ARCHITECTURE.md'), 'utf8');
const rows = page.slice(page.indexOf('## Modules')).matchAll(/^\| (?<modules>`[^|]+`) \|/gmu);
for (const [row, { groups }] of [...rows].entries()) {
  for (const [, name = ''] of (groups?.['modules'] ?? '').matchAll(/`(?<name>[a-z-]+)`/gu)) {
    rowOf.set(name, row);
  }
}

const sources = allSources.flatMap(({ path, text }) => {
  const module = /^src\/modules\/(?<module>[a-z-]+)\//u.exec(path)?.groups?.['module'];
  return module === undefined || path.endsWith('.test.ts') ? [] : [{ path, text, module }];
});

it('names every module in the table of ARCHITECTURE.md', () => {
  const modules = new Set(sources.map(({ module }) => module));
  expect([...rowOf.keys()].toSorted()).toEqual([...modules].toSorted());
});

it('lets a module import only modules of its own row or of the rows above it', () => {
  const upwards = sources.flatMap(({ path, text, module }) =>
    [...text.matchAll(/from '(?:\.\.\/)+(?<other>[a-z-]+)\/index\.ts'/gu)].flatMap(({ groups }) => {
      const other = groups?.['other'] ?? '';
      const [own, theirs] = [rowOf.get(module), rowOf.get(other)];
      return own !== undefined && theirs !== undefined && theirs > own ? [`${path}: ${other}`] : [];
    }),
  );
  expect(upwards).toEqual([]);
});
