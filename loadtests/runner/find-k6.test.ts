import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findK6 } from './find-k6.ts';

let repository = '';
beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), 'find-k6-'));
});
afterEach(() => rmSync(repository, { recursive: true }));

const put = (folder: string, mode: number): string => {
  const path = join(repository, folder);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'k6'), '#!/bin/sh\n', { mode });
  return path;
};

it('prefers the PATH to the tools of the repository', () => {
  const tools = put('.tools/bin', 0o755);
  expect(findK6('', repository)).toBe(join(tools, 'k6'));
  const first = put('first', 0o755);
  const path = [join(repository, 'nowhere'), first, put('second', 0o755)].join(delimiter);
  expect(findK6(path, repository)).toBe(join(first, 'k6'));
});

it('finds nothing where there is none, or none that is a program', () => {
  const folder = join(repository, 'folder');
  mkdirSync(join(folder, 'k6'), { recursive: true });
  expect(findK6(`${folder}${delimiter}${put('text', 0o644)}`, repository)).toBeUndefined();
});
