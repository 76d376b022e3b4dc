import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { guards } from './guards.ts';

const backend = join(import.meta.dirname, '..', '..', '..');

it.each(guards)('"$name" is a text of its file', ({ file, find, replace }) => {
  const text = readFileSync(join(backend, file), 'utf8');
  expect(text).toContain(find);
  expect(find).not.toBe(replace);
});
