import { expect, it } from 'vitest';
import { allSources, neighbourSources, type SourceFile } from './source-files.ts';

/** A file has one use case or one concept, in 80 to 250 lines. Over this limit it has several. */
const hardLimit = 400;
/** The formatter keeps code within 100. It breaks neither words nor long texts. */
const columns = 110;

/** Not the writers of Markdown pages, whose paragraphs are one line each. */
const isCode = ({ path }: SourceFile): boolean => !path.startsWith('dev/docs/');

const linesOf = (text: string): string[] => text.replace(/\n$/u, '').split('\n');
const files = [...allSources, ...neighbourSources];
const lengths = files.map(({ path, text }) => ({ path, lines: linesOf(text).length }));

it(`has no file over ${hardLimit} lines: split it by use case`, () => {
  expect(lengths.filter(({ lines }) => lines > hardLimit)).toEqual([]);
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
