import { Client } from 'pg';
import { installQueue } from './install-queue.ts';
import { wholeSchema, withEngine, type MigrateTarget } from './with-engine.ts';

export interface DeployOptions extends MigrateTarget {
  readonly log: (message: string) => void;
}

/** One for the whole deployment; the engine takes a lock of its own besides. */
const deployLock = 4_817_220_001;

/** Asked first, so that a server without the role is not left with a failed migration. */
const requireApplicationRole = async (client: Client): Promise<void> => {
  const { rowCount } = await client.query(`SELECT FROM pg_roles WHERE rolname = 'dgs_app'`);
  if (rowCount === 0) {
    throw new Error(
      'the role dgs_app does not exist; an administrator creates it once: ' +
        'CREATE ROLE dgs_app LOGIN PASSWORD ...',
    );
  }
};

const withDeployLock = async <T>(url: string, work: () => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [deployLock]);
    await requireApplicationRole(client);
    return await work();
  } finally {
    await client.end();
  }
};

/**
 * Applies what the database lacks, in order: our migrations, the queue's, the rights on the queue.
 * Answers the names of those of ours that it applied. Any number may run at once: one works, the
 * others wait and find nothing to do. A failed migration leaves nothing behind but its record, and
 * stops every later deployment until it is resolved. Needs the role dgs_app.
 */
export const deployMigrations = ({ log, ...target }: DeployOptions): Promise<string[]> =>
  withDeployLock(target.url, async () => {
    const applied = await withEngine(target, async ({ engine, migrations }) => {
      const output = await engine.applyMigrations({
        migrationsList: migrations,
        filters: wholeSchema,
      });
      return output.appliedMigrationNames;
    });
    for (const name of applied) log(`applied ${name}`);
    await installQueue(target);
    log(applied.length === 0 ? 'the schema was up to date' : 'the schema is up to date');
    return applied;
  });
