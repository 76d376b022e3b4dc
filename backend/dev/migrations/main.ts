import { createSystemClock } from '../../src/platform/clock/clock.ts';
import { parseConfig } from '../../src/platform/config/config.ts';
import { migrateVariables } from '../../src/apps/migrate/migrate.variables.ts';
import { createMigration } from './create-migration.ts';
import { findDrift } from './find-drift.ts';
import { enginePanic } from './schema-engine.ts';

/**
 * The developer's half of migrations, by Prisma's schema engine: `create NAME` writes one from the
 * schema, `check` compares schema, migrations and database. Both need a role that may create
 * databases. Applying them is src/apps/migrate, which needs no engine.
 */
const usage = 'migrations create NAME | check';

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const databaseUrl = (): string => parseConfig(migrateVariables, process.env).MIGRATE_DATABASE_URL;

const create = async (url: string, name: string): Promise<number> => {
  const directory = await createMigration({ url, name, clock: createSystemClock() });
  print(directory === undefined ? 'nothing to create' : `wrote ${directory}`);
  return 0;
};

const check = async (url: string): Promise<number> => {
  const { migrationsToSchema, databaseToSchema } = await findDrift({ url });
  print(`migrations and schema: ${migrationsToSchema ?? 'in step'}`);
  print(`database and schema: ${databaseToSchema ?? 'in step'}`);
  return migrationsToSchema === undefined && databaseToSchema === undefined ? 0 : 2;
};

const main = async ([command, name]: readonly string[]): Promise<number> => {
  if (command === 'create' && name !== undefined) return create(databaseUrl(), name);
  if (command === 'check') return check(databaseUrl());
  print(usage);
  return 64;
};

const fail = (error: unknown): void => {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`migrations: ${enginePanic() || reason}\n`);
  process.exit(1);
};

// A panic of the engine reaches no other handler.
process.on('uncaughtException', fail);
// The engine leaves a timer of 10 s behind, which nothing waits for.
main(process.argv.slice(2)).then((code) => process.exit(code), fail);
