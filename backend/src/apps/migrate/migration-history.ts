import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import type { Timers } from '../../platform/clock/timers.ts';
import { z } from 'zod';
import { sqlStateOf } from '../../platform/db/index.ts';
import { listMigrations } from '../../platform/db/migrations.ts';

/**
 * The SQLSTATEs of a table that is in use. The wait for its lock timed out or ended in a deadlock.
 */
const inUse: ReadonlySet<string | undefined> = new Set(['55P03', '40P01']);
const [lockWaitMs, pauseMs, maxTries] = [2000, 1000, 60];

interface ApplyOptions {
  readonly timers: Timers;
  readonly log: (message: string) => void;
}

/** A migration of this build. */
export interface Migration {
  readonly name: string;
  readonly script: string;
  /** The SHA-256 of the script in hex, as Prisma computes it. */
  readonly checksum: string;
  /** Only a baseline has this. */
  readonly replaces?: Replaced;
}

/** The migrations that a baseline replaces, from `replaces.json` in its folder. */
const replacedSchema = z.object({
  /** Describes the last build that has these migrations, for an operator. */
  lastBuild: z.string(),
  migrations: z.array(z.string()).nonempty(),
});
type Replaced = z.infer<typeof replacedSchema>;

const readReplaced = async (folder: string): Promise<{ readonly replaces?: Replaced }> => {
  const path = join(folder, 'replaces.json');
  if (!existsSync(path)) return {};
  return { replaces: replacedSchema.parse(JSON.parse(await readFile(path, 'utf8'))) };
};

/** Reads the migrations below `folder` (the package's `prisma`), oldest first. */
export const readMigrations = async (folder: string): Promise<Migration[]> => {
  const names = await listMigrations(folder);
  return Promise.all(
    names.map(async (name) => {
      const directory = join(folder, 'migrations', name);
      const script = await readFile(join(directory, 'migration.sql'), 'utf8');
      const checksum = createHash('sha256').update(script).digest('hex');
      return { name, script, checksum, ...(await readReplaced(directory)) };
    }),
  );
};

/**
 * A row of Prisma's own table. This table is used so that `prisma migrate` works on the same
 * database.
 */
interface Applied {
  readonly name: string;
  readonly checksum: string;
  readonly finished: boolean;
}

/** Creates the table of applied migrations, in Prisma's form, unless it exists. */
export const createHistory = async (client: Client): Promise<void> => {
  await client.query(`
    CREATE TABLE IF NOT EXISTS _prisma_migrations (
      id                  VARCHAR(36) PRIMARY KEY NOT NULL,
      checksum            VARCHAR(64) NOT NULL,
      finished_at         TIMESTAMPTZ,
      migration_name      VARCHAR(255) NOT NULL,
      logs                TEXT,
      rolled_back_at      TIMESTAMPTZ,
      started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
      applied_steps_count INTEGER NOT NULL DEFAULT 0
    )`);
};

const readHistory = async (client: Client): Promise<Applied[]> => {
  const known = await client.query(`SELECT FROM pg_class WHERE oid = to_regclass($1)`, [
    '_prisma_migrations',
  ]);
  if (known.rowCount === 0) return [];
  const { rows } = await client.query<Applied>(`
    SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
    FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`);
  return rows;
};

export interface MigrationStatus {
  readonly pending: string[];
  /** The migrations that began and did not finish. Such a migration has left only its record. */
  readonly failed: string[];
  /** The migrations whose file has another text now than when it was applied. */
  readonly edited: string[];
  /**
   * The migrations that a newer build applied. They are neither among the files nor replaced by a
   * baseline.
   */
  readonly unknown: string[];
}

/** Compares the migrations of this build with the database's records. It changes nothing. */
export const compareWithHistory = async (
  client: Client,
  migrations: readonly Migration[],
): Promise<MigrationStatus> => {
  const history = await readHistory(client);
  const recorded = new Map(history.map((row) => [row.name, row]));
  const known = new Set(
    migrations.flatMap(({ name, replaces }) => [name, ...(replaces?.migrations ?? [])]),
  );
  return {
    pending: migrations.filter(({ name }) => !recorded.has(name)).map(({ name }) => name),
    failed: history.filter(({ finished }) => !finished).map(({ name }) => name),
    edited: migrations
      .filter(({ name, checksum }) => {
        const row = recorded.get(name);
        return row?.finished === true && row.checksum !== checksum;
      })
      .map(({ name }) => name),
    unknown: history.filter(({ name }) => !known.has(name)).map(({ name }) => name),
  };
};

/** Runs a migration's script and records its end, in one transaction. */
const runScript = async (client: Client, { script }: Migration, id: string): Promise<void> => {
  try {
    await client.query(`BEGIN; SET LOCAL lock_timeout = '${lockWaitMs}ms'`);
    // Without parameters, the driver sends the script as a whole, so a function's body is not
    // split.
    await client.query(script);
    await client.query(
      `UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1
       WHERE id = $1`,
      [id],
    );
    await client.query('COMMIT');
  } catch (error) {
    // The server has rolled back a lost connection by itself.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
};

/**
 * Runs a script until it gets its tables. While a script waits for a table, every later statement
 * on that table waits behind the script. So each try waits for two seconds, and a pause lets other
 * statements pass before the next try.
 */
const runUntilLocked = async (
  client: Client,
  migration: Migration,
  { id, timers, log }: ApplyOptions & { readonly id: string },
): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    try {
      await runScript(client, migration, id);
      return;
    } catch (error) {
      if (!inUse.has(sqlStateOf(error)) || tries === maxTries) throw error;
      log(`${migration.name} waits for a table that is in use: it is tried again`);
      await timers.sleep(pauseMs);
    }
  }
};

/**
 * Applies a migration and records it. Its script and the record of its success commit together, so
 * a process that dies in between leaves only the record that the migration began.
 * @throws the database's error, after storing it in the record if the database still answers, also
 * if the migration's tables were in use for some three minutes
 */
export const applyMigration = async (
  client: Client,
  migration: Migration,
  options: ApplyOptions,
): Promise<void> => {
  const id = randomUUID();
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)`,
    [id, migration.checksum, migration.name],
  );
  try {
    await runUntilLocked(client, migration, { ...options, id });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    await client
      .query(`UPDATE _prisma_migrations SET logs = $2 WHERE id = $1`, [id, reason])
      .catch(() => {});
    throw error;
  }
};

/**
 * Records a failed migration as rolled back, so that the next deployment applies it again.
 * @throws Error when no such migration failed
 */
export const markRolledBack = async (client: Client, name: string): Promise<void> => {
  const { rowCount } = await client.query(
    `UPDATE _prisma_migrations SET rolled_back_at = clock_timestamp()
     WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL`,
    [name],
  );
  if (rowCount === 0) throw new Error(`no failed migration is named ${name}`);
};

/**
 * Records a migration as applied without running it, for work that was done by hand.
 * @throws Error if this build has no migration of that name or the database has applied it already
 */
export const markApplied = async (
  client: Client,
  migrations: readonly Migration[],
  name: string,
): Promise<void> => {
  const migration = migrations.find((known) => known.name === name);
  if (migration === undefined) throw new Error(`this build has no migration named ${name}`);
  await createHistory(client);
  const { pending, failed } = await compareWithHistory(client, migrations);
  if (failed.includes(name)) await markRolledBack(client, name);
  else if (!pending.includes(name)) throw new Error(`${name} is applied already`);
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
     VALUES ($1, $2, $3, clock_timestamp())`,
    [randomUUID(), migration.checksum, name],
  );
};

/**
 * Records each baseline as applied in a database that has every migration that it replaces. Their
 * rows stay, so that an earlier build still finds its own. An empty database stays unchanged, and
 * the baseline is pending there.
 * @throws Error if the database has some of the replaced migrations and lacks others
 */
export const recordBaselines = async (
  client: Client,
  migrations: readonly Migration[],
  log: (message: string) => void,
): Promise<void> => {
  const history = await readHistory(client);
  const finished = new Set(history.filter((row) => row.finished).map((row) => row.name));
  for (const { name, replaces } of migrations) {
    if (replaces === undefined || finished.has(name)) continue;
    const missing = replaces.migrations.filter((replaced) => !finished.has(replaced));
    const count = replaces.migrations.length;
    if (missing.length === count) continue;
    if (missing.length > 0) {
      throw new Error(
        `the database has ${count - missing.length} of the ${count} migrations that ${name} ` +
          `replaces; the first it lacks is ${missing[0]}. Nothing was changed. ` +
          `Deploy ${replaces.lastBuild} first, then this build (runbook: failed-migration)`,
      );
    }
    await markApplied(client, migrations, name);
    log(`${name} is recorded as applied: the database has the ${count} migrations it replaces`);
  }
};
