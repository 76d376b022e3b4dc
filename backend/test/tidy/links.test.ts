import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { listFiles, repositoryFolder } from './source-files.ts';

const pages = listFiles(repositoryFolder).filter((path) => path.endsWith('.md'));
const relativeLink = /\]\((?!https?:|mailto:|#)(?<target>[^)#\s]+)/gu;

const brokenLinks = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(relativeLink)]
    .map((match) => match.groups?.['target'] ?? '')
    .filter((target) => !existsSync(join(dirname(page), target)))
    .map((target) => `${relative(repositoryFolder, page)} links to ${target}, which is not there`);

it('has pages whose links lead somewhere', () => {
  expect(pages.length).toBeGreaterThan(10);
  expect(pages.flatMap(brokenLinks)).toEqual([]);
});

/** The anchor that a heading has on GitHub: lower case, hyphens for blanks, no punctuation. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/gu, '-');

const anchorsOf = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/^#{1,6} (?<heading>.+)$/gmu)].map((match) =>
    anchorOf(match.groups?.['heading'] ?? ''),
  );

const linkToAnchor = /\]\((?!https?:|mailto:)(?<target>[^)#\s]*)#(?<anchor>[^)\s]+)\)/gu;

it('has links to headings that are there', () => {
  const broken = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(linkToAnchor)]
      .map((match) => ({ ...match.groups }) as { target: string; anchor: string })
      .filter(({ target, anchor }) => {
        const linked = target === '' ? page : join(dirname(page), target);
        return linked.endsWith('.md') && existsSync(linked) && !anchorsOf(linked).includes(anchor);
      })
      .map(
        ({ target, anchor }) => `${relative(repositoryFolder, page)} links to ${target}#${anchor}`,
      ),
  );
  expect(broken).toEqual([]);
});

/** Pages name files of the backend in code, as `src/...`. */
const namedFile = /`(?<path>(?:src|test|prisma|docs)\/[\w./-]+)`/gu;

it('has pages that name files which are there', () => {
  const backend = join(repositoryFolder, 'backend');
  const missing = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(namedFile)]
      .map((match) => match.groups?.['path'] ?? '')
      .filter((path) => !existsSync(join(backend, path)) && !existsSync(join(dirname(page), path)))
      .map((path) => `${relative(repositoryFolder, page)} names ${path}, which is not there`),
  );
  expect(missing).toEqual([]);
});
