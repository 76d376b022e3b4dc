import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { errorTable } from '../../src/errors/error-table.ts';
import { backendFolder } from './source-files.ts';

/** The rows of the page's table of error codes: `| 404 | `NOT_FOUND` |`. */
const codesOnPage = (): string[] => {
  const page = readFileSync(join(backendFolder, 'docs', 'contract', 'conventions.md'), 'utf8');
  const section = /^## Error codes$(?<rows>[\s\S]*?)^## /mu.exec(page)?.groups?.['rows'] ?? '';
  return [...section.matchAll(/^\| (?<status>\d{3}) \| (?<codes>.+) \|$/gmu)].flatMap(
    ({ groups }) =>
      [...(groups?.['codes'] ?? '').matchAll(/`(?<code>[A-Z_]+)`/gu)].map(
        (match) => `${groups?.['status']} ${match.groups?.['code']}`,
      ),
  );
};

it('has every error code, with its status, on the page of conventions', () => {
  const codes = Object.entries(errorTable).map(([code, { status }]) => `${status} ${code}`);
  expect(codesOnPage().toSorted()).toEqual(codes.toSorted());
});
