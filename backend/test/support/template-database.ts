import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  applicationRole,
  asRole,
  ensureDatabase,
  ensureRoles,
  dropDatabase,
  migrateRole,
  onDatabase,
  withConnection,
} from '../../dev/stack/database-setup.ts';
import { migrateDatabase } from '../../dev/stack/migrate-database.ts';
import { seedDatabase } from '../../dev/stack/seed-database.ts';
import { choosePorts } from './choose-ports.ts';

const backend = join(import.meta.dirname, '..', '..');

/** Undoes a rule of the schema, to find out which test notices that (`make mutate-rules`). */
const brokenRule = process.env['BREAK_RULE'] ?? '';

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
  hash.update(readFileSync(join(backend, 'package.json'))).update(brokenRule);
  return `dgs_template_${hash.digest('hex').slice(0, 16)}`;
};

const lockId = 471_209_002;

/**
 * Makes a template unless it exists. It gets its name when it is complete, so an unfinished
 * template is never used. Several runs may make it at once on a server that was given.
 */
const ensure = async (
  adminUrl: string,
  name: string,
  fill: (database: string) => Promise<void>,
): Promise<string> => {
  await withConnection(adminUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [lockId]);
    const known = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (known.rowCount !== 0) return;
    const unfinished = `${name}_unfinished`;
    await dropDatabase(adminUrl, unfinished);
    await fill(unfinished);
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
  });
  return name;
};

/** Migrates a template database, once for each state of the migrations. */
export const ensureTemplate = async (adminUrl: string): Promise<string> => {
  await ensureRoles(adminUrl);
  return ensure(adminUrl, templateName(), async (database) => {
    await ensureDatabase(adminUrl, database);
    const migrateUrl = asRole(onDatabase(adminUrl, database), migrateRole);
    await migrateDatabase({ backend, environment: { APP_MODE: 'test' }, migrateUrl });
    if (brokenRule !== '') await withConnection(migrateUrl, (client) => client.query(brokenRule));
  });
};

/** A copy of the template that the development seed has filled, once for each state of the seed. */
export const ensureSeededTemplate = (
  adminUrl: string,
  template: string,
  redisUrl: string,
): Promise<string> => {
  const bundle = readFileSync(join(backend, 'dist', 'seed', 'main.js'));
  const hash = createHash('sha256').update(template).update(bundle).digest('hex').slice(0, 16);
  return ensure(adminUrl, `dgs_seeded_${hash}`, async (database) => {
    await cloneTemplate(adminUrl, template, database);
    const url = onDatabase(adminUrl, database);
    await seedDatabase(backend, {
      mode: 'test',
      // Nobody listens there: the clock of a stack that runs beside must not be followed.
      ports: await choosePorts(),
      databaseUrl: asRole(url, applicationRole),
      migrateUrl: asRole(url, migrateRole),
      redisUrl,
      settingsDir: '',
      objectsDir: tmpdir(),
      sandboxDir: tmpdir(),
    });
  });
};

/** Makes a database that is a copy of the template. */
export const cloneTemplate = (adminUrl: string, template: string, name: string): Promise<void> =>
  withConnection(adminUrl, async (client) => {
    // Copied as files: half the time of a copy through the log, which nothing here reads.
    await client.query(
      `CREATE DATABASE ${name} OWNER ${migrateRole.name} TEMPLATE ${template} STRATEGY file_copy`,
    );
  });
