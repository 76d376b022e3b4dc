import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const backend = join(import.meta.dirname, '..', '..');

/**
 * Lists everything that is read from a standby, which may be some seconds behind
 * (docs/adr/0112-read-replica.md): by file, the parts of `reads` that it passes on and to whom. A
 * decision must not be based on anything in this list.
 */
const readers: Readonly<Record<string, readonly string[]>> = {
  'src/apps/accounting/accounting-api.ts': [
    'createExportRegister({ ...shared, readSnapshot: reads.readSnapshot })',
    'inTransaction: reads.inTransaction',
  ],
  'src/apps/admin/admin-api.ts': [
    'createRewardAdminRoutes({ ...shared, readSnapshot: reads.readSnapshot })',
    'createReportsAdminRoutes({ ...shared, db: reads.db, price: price.live })',
  ],
  'src/runtime/create-services.ts': ['historyDb: runtime.reads.db'],
};

const uses = /\breads\.(db|inTransaction|readSnapshot)\b/gu;

it('hands the standby to registers, reports, files and histories alone', () => {
  const found = globSync('src/**/*.ts', { cwd: backend })
    .filter((file) => !file.endsWith('.test.ts') && !file.startsWith('src/generated'))
    .map((file) => [file, readFileSync(join(backend, file), 'utf8')] as const)
    .map(([file, text]) => [file, text.match(uses)?.length ?? 0] as const)
    .filter(([, count]) => count > 0);
  const expected = Object.entries(readers).map(([file, texts]) => [file, texts.length] as const);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
});

it.each(Object.entries(readers))('is read in %s as it is listed here', (file, texts) => {
  const text = readFileSync(join(backend, file), 'utf8');
  for (const each of texts) expect(text).toContain(each);
});

it('keeps what an API does not list on the primary', () => {
  const modules = globSync('src/modules/**/*.ts', { cwd: backend });
  const named = modules.filter((file) =>
    readFileSync(join(backend, file), 'utf8').includes('StaleReads'),
  );
  expect(named).toEqual([]);
});
