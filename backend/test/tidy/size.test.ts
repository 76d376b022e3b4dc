import { expect, it } from 'vitest';
import { allSources, neighbourSources, type SourceFile } from './source-files.ts';

const hardLimit = 300;
const softLimit = 150;
/** Of the code itself (a test may tell a long story): a big file is an exception. */
const mostOverSoftLimit = 0.1;
/** The formatter keeps code within 100; it breaks neither words nor long texts. */
const columns = 110;

/** Not the writers of Markdown pages, whose paragraphs are one line each. */
const isCode = ({ path }: SourceFile): boolean => !path.startsWith('src/apps/dev/docs/');

const linesOf = (text: string): string[] => text.replace(/\n$/u, '').split('\n');
const files = [...allSources, ...neighbourSources];
const lengths = files.map(({ path, text }) => ({ path, lines: linesOf(text).length }));

it(`has no file over ${hardLimit} lines: split it by use case or by pure leaves`, () => {
  expect(lengths.filter(({ lines }) => lines > hardLimit)).toEqual([]);
});

it(`has few files of code over ${softLimit} lines`, () => {
  const code = lengths.filter(
    ({ path }) => /^(?:\w+\/)?src\//u.test(path) && !path.endsWith('.test.ts'),
  );
  const long = code.filter(({ lines }) => lines > softLimit);
  const report = long
    .toSorted((a, b) => b.lines - a.lines)
    .map(({ path, lines }) => `${lines} ${path}`)
    .join('\n');
  const most = Math.floor(code.length * mostOverSoftLimit);
  expect(long.length, `${long.length} of ${code.length} files:\n${report}`).toBeLessThan(most);
});

it(`keeps half of the files under 100 lines`, () => {
  const sorted = lengths.map(({ lines }) => lines).toSorted((a, b) => a - b);
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(100);
});

it(`keeps lines within ${columns} columns`, () => {
  const wide = files
    .filter(isCode)
    .flatMap(({ path, text }) =>
      linesOf(text).flatMap((line, index) =>
        line.length > columns ? [`${path}:${index + 1} has ${line.length}`] : [],
      ),
    );
  expect(wide).toEqual([]);
});

it('names files in kebab-case, with dots before what kind they are', () => {
  const odd = files
    .map(({ path }) => path.split('/').at(-1) ?? '')
    .filter((name) => !/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)*\.ts$/u.test(name));
  expect(odd).toEqual([]);
});
