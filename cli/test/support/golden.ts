import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const folder = join(import.meta.dirname, '..', 'golden');

const isUpdate = process.env['UPDATE_GOLDEN'] === '1';

/**
 * Returns the expected output from the file of that name in test/golden. `UPDATE_GOLDEN=1` writes
 * `text` there first: then review the change with git diff.
 */
export const golden = (name: string, text: string): string => {
  const path = join(folder, name);
  if (isUpdate) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return readFileSync(path, 'utf8');
};

const uuid = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gu;
const time = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/gu;

/**
 * Puts the same ids and times into every run's output: ids in the order of their first mention,
 * each as wide as before, so that columns stay.
 */
export const steadied = (text: string): string => {
  const seen = new Map<string, string>();
  return text
    .replaceAll(uuid, (id) => {
      const known =
        seen.get(id) ?? `00000000-0000-7000-8000-${String(seen.size + 1).padStart(12, '0')}`;
      seen.set(id, known);
      return known;
    })
    .replaceAll(time, '2026-11-21T00:00:00.000Z');
};
