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
