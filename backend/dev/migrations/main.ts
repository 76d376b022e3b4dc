import { createSystemClock } from '../../src/platform/clock/clock.ts';
import { parseConfig } from '../../src/platform/config/config.ts';
import { migrateVariables } from '../../src/apps/migrate/migrate.variables.ts';
import { createMigration } from './create-migration.ts';
import { findDrift } from './find-drift.ts';
import { enginePanic } from './schema-engine.ts';

/**
 * Creates and checks migrations with Prisma's schema engine. `create NAME` writes a migration from
 * the schema. `check` compares the schema, the migrations and the database. Both need a role that
 * may create databases. src/apps/migrate applies the migrations and needs no engine.
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
// Exits at once, because a timer of the engine would keep the process alive for another 10 s.
main(process.argv.slice(2)).then((code) => process.exit(code), fail);
