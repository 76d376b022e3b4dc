import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { freshDatabase } from '#test/support/fresh-database.ts';
import { startPgbouncer } from '#test/support/pgbouncer.ts';
import { createDatabase } from '../../../platform/db/index.ts';
import { createSilentLogger } from '../../../platform/observability/logger.ts';
import { createCheckRules } from './check-rules.ts';

it('the rules are checked behind PgBouncer, and leave its one connection writable', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'digital-gold-rules-'));
  chmodSync(folder, 0o755);
  const fresh = await freshDatabase();
  const settings = { default_pool_size: '1' };
  const pooler = await startPgbouncer({ serverUrl: fresh.migrateUrl, folder, settings });
  const url = pooler.urlOf(fresh.appUrl);
  const database = createDatabase({ url, poolSize: 1, applicationName: 'pooled-rules' });
  onTestFinished(async () => {
    await database.close();
    await pooler.stop();
    await fresh.drop();
    rmSync(folder, { recursive: true, force: true });
  });
  const { connections } = database;
  const { rules, drift } = await createCheckRules({ connections, logger: createSilentLogger() })();
  expect(rules.length).toBeGreaterThan(0);
  expect(rules.filter(({ status }) => status !== 'OK')).toEqual([]);
  expect(drift.filter(({ amount }) => Number(amount) !== 0)).toEqual([]);
  const written = await database.db.$executeRaw`
    INSERT INTO scheduled_job (id, key, task, due_at, created_at)
    VALUES (gen_random_uuid(), 'after the rules', 't', now(), now())`;
  expect(written).toBe(1);
});
