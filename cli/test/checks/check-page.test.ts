import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkCategories } from '../../src/checks/check-categories.ts';
import { toRecord } from '../../src/checks/check.types.ts';
import { checks } from '../../src/checks/checks.ts';

const cli = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(cli, 'docs', 'checks.md'), 'utf8');

/** Each check of the page with the category of its section. */
const explained = (): string[] => {
  let category = '';
  return page.split('\n').flatMap((line) => {
    category = /^## ([a-z-]+)$/u.exec(line)?.[1] ?? category;
    const id = /^### (\S+)$/u.exec(line)?.[1];
    return id === undefined ? [] : [`${category} ${id}`];
  });
};

it('explains every check under its category, and none that there is not', () => {
  const known = checks.map(({ id, category }) => `${category} ${id}`);
  expect(explained().toSorted()).toEqual(known.toSorted());
  expect(known.length).toBeGreaterThan(20);
});

it('has a part for every category, in the order in which they are shown', () => {
  const headings = [...page.matchAll(/^## ([a-z-]+)$/gmu)].map(([, name]) => name);
  expect(headings).toEqual([...checkCategories]);
});

it('is where the records point', () => {
  for (const check of checks) {
    const { anchor } = toRecord(check, { status: 'failed', detail: 'x' });
    const heading = anchor.slice('goldctl help checks '.length);
    expect(anchor).toBe(`goldctl help checks ${check.id}`);
    expect(page).toContain(`\n### ${heading}\n`);
  }
});
