import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  asRole,
  ensureDatabase,
  ensureRoles,
  dropDatabase,
  migrateRole,
  onDatabase,
  withConnection,
} from '../../src/apps/dev/database-setup.ts';
import { migrateDatabase } from '../../src/apps/dev/migrate-database.ts';

const backend = join(import.meta.dirname, '..', '..');

/** The name of the template that holds exactly these migrations and queue grants. */
const templateName = (): string => {
  const hash = createHash('sha256');
  const folder = join(backend, 'prisma');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of files.toSorted()) {
    const path = join(folder, name);
    if (statSync(path).isFile()) hash.update(name).update(readFileSync(path));
  }
  // The migration process brings the job queue's own tables besides.
  hash.update(readFileSync(join(backend, 'package.json')));
  return `dgs_template_${hash.digest('hex').slice(0, 16)}`;
};

const lockId = 471_209_002;

/**
 * Migrates a template database once for each state of the migrations; one that is there is used
 * as it is. It gets its name when it is whole, so one that was cut short is never used.
 */
export const ensureTemplate = async (adminUrl: string): Promise<string> => {
  await ensureRoles(adminUrl);
  const name = templateName();
  await withConnection(adminUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [lockId]);
    const known = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (known.rowCount !== 0) return;
    const unfinished = `${name}_unfinished`;
    await dropDatabase(adminUrl, unfinished);
    await ensureDatabase(adminUrl, unfinished);
    const migrateUrl = asRole(onDatabase(adminUrl, unfinished), migrateRole);
    await migrateDatabase({ backend, environment: { APP_MODE: 'test' }, migrateUrl });
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
  });
  return name;
};

/** Makes a database that is a copy of the template. */
export const cloneTemplate = (adminUrl: string, template: string, name: string): Promise<void> =>
  withConnection(adminUrl, async (client) => {
    await client.query(`CREATE DATABASE ${name} OWNER ${migrateRole.name} TEMPLATE ${template}`);
  });
