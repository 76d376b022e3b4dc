import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { backendFolder, repositoryFolder } from './source-files.ts';

interface Row {
  readonly id: string;
  readonly state: string;
  readonly evidence: string;
}

const page = readFileSync(join(backendFolder, 'docs', 'asvs.md'), 'utf8');
const states = ['met', 'not applicable', 'open'];

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

const lines = page.split('\n');
const rows: readonly Row[] = lines
  .filter((line) => /^\| V\d+\.\d/u.test(line))
  .map(cellsOf)
  .map(([id = '', , , state = '', evidence = '']) => ({ id, state, evidence }));

/** The requirements of levels 1 and 2 in each chapter of the standard. */
const requirements = {
  V1: 38,
  V2: 53,
  V3: 18,
  V4: 9,
  V5: 30,
  V6: 13,
  V7: 12,
  V8: 15,
  V9: 7,
  V10: 5,
  V11: 8,
  V12: 15,
  V13: 13,
  V14: 23,
};

const chapterOf = (id: string): string => id.split('.')[0] ?? '';

const countOf = (chapter: string, state: string): string =>
  String(
    rows.filter(
      (row) => row.state === state && (chapter === 'all' || chapterOf(row.id) === chapter),
    ).length,
  );

it('has each requirement once, in one of three states', () => {
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  const counted = Object.keys(requirements).map((chapter) => [
    chapter,
    rows.filter(({ id }) => chapterOf(id) === chapter).length,
  ]);
  expect(Object.fromEntries(counted)).toEqual(requirements);
  expect(rows.filter(({ state }) => !states.includes(state))).toEqual([]);
});

it('counts them in its summary', () => {
  const summary = lines.filter((line) => /^\| (?:V\d+ |all )/u.test(line)).map(cellsOf);
  const counts = summary.map(([title = '', ...figures]) => [title.split(' ')[0], ...figures]);
  const chapters = [...Object.keys(requirements), 'all'];
  expect(counts).toEqual(
    chapters.map((chapter) => [chapter, ...states.map((state) => countOf(chapter, state))]),
  );
});

/** A file in code, or a title in quotes. A title belongs to the file before it. */
const named =
  /`(?<path>[\w./-]+\/[\w./-]+|package-lock\.json|\.oxlint\.config\.ts)`|"(?<title>[^"]+)"/gu;

const textOf = (path: string): string | undefined => {
  const place = [join(backendFolder, path), join(repositoryFolder, path)].find(
    (candidate) => statSync(candidate, { throwIfNoEntry: false })?.isFile() === true,
  );
  return place === undefined ? undefined : readFileSync(place, 'utf8');
};

const faultsOf = ({ id, state, evidence }: Row): string[] => {
  const faults: string[] = [];
  let text: string | undefined;
  for (const { groups } of evidence.matchAll(named)) {
    const path = groups?.['path'];
    const title = groups?.['title'] ?? '';
    if (path !== undefined) {
      text = textOf(path);
      if (text === undefined) faults.push(`${id}: ${path} is not there`);
    } else if (text?.includes(title) !== true) {
      faults.push(`${id}: no "${title}" in the file before it`);
    }
  }
  if (state === 'met' && text === undefined) faults.push(`${id}: is met by no file`);
  return faults;
};

it('names files and tests that are there', () => {
  expect(faultsOf({ id: 'V0', state: 'met', evidence: '`test/x.ts` "y"' })).toHaveLength(3);
  expect(rows.flatMap(faultsOf)).toEqual([]);
});
