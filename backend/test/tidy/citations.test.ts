import { readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { backendFolder, findIn, listFiles, placeOf, repositoryFolder } from './source-files.ts';

const contractFolder = join(backendFolder, 'docs', 'contract');

/** The headings of every page of the contract, by the page's name without its ending. */
const headingsOf: ReadonlyMap<string, readonly string[]> = new Map(
  listFiles(contractFolder)
    .filter((path) => path.endsWith('.md'))
    .map((path) => [
      basename(path, '.md'),
      [...readFileSync(path, 'utf8').matchAll(/^#{1,6} (?<heading>.+)$/gmu)].map(
        (match) => match.groups?.['heading'] ?? '',
      ),
    ]),
);

const texts = listFiles(repositoryFolder)
  .filter((path) => /\.(?:ts|js|mjs|ya?ml|md|sql|prisma|tpl|sh)$/u.test(path))
  .filter((path) => !path.endsWith('citations.test.ts'))
  .map((path) => ({ path: relative(repositoryFolder, path), text: readFileSync(path, 'utf8') }));

/** The same text on one line: a citation may be wrapped inside a comment. */
const unwrapped = (cited: string): string =>
  cited.replaceAll(/\s*\n\s*(?:\*|\/\/|#|--)?\s*/gu, ' ');

const citation = /\(contract:(?<cited>[^)]+)\)/gu;

const problemOf = (part: string): string | undefined => {
  const [page = '', heading = ''] = part.split('>').map((piece) => piece.trim());
  const headings = headingsOf.get(page);
  if (headings === undefined) return `no page "${page}"`;
  return headings.includes(heading) ? undefined : `no heading "${heading}" in ${page}.md`;
};

describe('the contract', () => {
  it('has headings that are unique within their page', () => {
    const twice = [...headingsOf].flatMap(([page, headings]) =>
      headings
        .filter((heading, at) => headings.indexOf(heading) !== at)
        .map((h) => `${page}: ${h}`),
    );
    expect(twice).toEqual([]);
  });

  it('is cited by `(contract: page > Heading)`, each of which is there', () => {
    const broken = texts.flatMap(({ path, text }) =>
      [...text.matchAll(citation)].flatMap((match) =>
        unwrapped(match.groups?.['cited'] ?? '')
          .split(';')
          .map(problemOf)
          .filter((problem) => problem !== undefined)
          .map((problem) => `${placeOf(path, text, match.index)}: ${problem}`),
      ),
    );
    expect(broken).toEqual([]);
  });

  it('is the only specification that anything cites', () => {
    const elsewhere = [
      /\((?:decisions|interface|architecture)[,;:) ]/gu,
      /\bdecisions, sections? \d/gu,
      /\b(?:decisions|architecture) page\b/gu,
      /\binterface document\b/gu,
    ];
    const found = texts.flatMap(({ path, text }) =>
      elsewhere.flatMap((pattern) => findIn(path, text, pattern)),
    );
    expect(found).toEqual([]);
  });
});
