import { dirname } from 'node:path';
import type { DiffTarget } from '@prisma/schema-engine-wasm';
import type { MigrateTarget } from '../../src/apps/migrate/deploy-migrations.ts';
import { wholeSchema, withEngine, type EngineAtWork } from './with-engine.ts';

const history = ({ migrations }: EngineAtWork): DiffTarget =>
  migrations.migrationDirectories.length === 0
    ? { tag: 'empty' }
    : { tag: 'migrations', ...migrations };

const target = ({ schema }: EngineAtWork): DiffTarget => ({
  tag: 'schemaDatamodel',
  files: schema.map(({ path, content }) => ({ path, content })),
});

const live = ({ schema }: EngineAtWork): DiffTarget => ({
  tag: 'schemaDatasource',
  files: schema.map(({ path, content }) => ({ path, content })),
  configDir: dirname(schema[0]?.path ?? '.'),
});

const compare = async (
  { engine }: EngineAtWork,
  from: DiffTarget,
  to: DiffTarget,
  script: boolean,
): Promise<string | undefined> => {
  const result = await engine.diff({
    from,
    to,
    script,
    exitCode: true,
    filters: wholeSchema,
  });
  return result.exitCode === 0 ? undefined : (result.stdout ?? '');
};

/** Returns the SQL from the migrations to the schema, or undefined if nothing has changed. */
export const scriptToSchema = (from: MigrateTarget): Promise<string | undefined> =>
  withEngine(from, (atWork) => compare(atWork, history(atWork), target(atWork), true));

interface Drift {
  /** The difference from the migrations to the schema, in words, or undefined when in step. */
  readonly migrationsToSchema: string | undefined;
  /** The difference from the given database to the schema, likewise. */
  readonly databaseToSchema: string | undefined;
}

/**
 * Compares the schema, the migrations (applied in a shadow database) and the given database. It
 * does not see checks, triggers, partial indexes and grants, which Prisma does not model.
 */
export const findDrift = (from: MigrateTarget): Promise<Drift> =>
  withEngine(from, async (atWork) => ({
    migrationsToSchema: await compare(atWork, history(atWork), target(atWork), false),
    databaseToSchema: await compare(atWork, live(atWork), target(atWork), false),
  }));
