import { Client } from 'pg';
import { setRoleDefaults } from '../../src/apps/migrate/set-role-defaults.ts';

/** The two roles of the service (contract: money > Invariants) and their development passwords. */
export const migrateRole = { name: 'dgs_migrate', password: 'dev-only-migrate-password' };
export const applicationRole = { name: 'dgs_app', password: 'dev-only-application-password' };

/** Runs work on one connection to `url` and closes it. */
export const withConnection = async <T>(
  url: string,
  work: (client: Client) => Promise<T>,
): Promise<T> => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** Returns the URL of the same server and database for another role. */
export const asRole = (url: string, role: { name: string; password: string }): string => {
  const address = new URL(url);
  address.username = role.name;
  address.password = role.password;
  return address.href;
};

/** Returns the URL of another database on the same server, for the same role. */
export const onDatabase = (url: string, database: string): string => {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
};

const lockId = 471_209_001;

/**
 * Creates the missing roles. An existing role keeps its password. Roles belong to the whole server,
 * so an advisory lock serialises concurrent runs.
 */
export const ensureRoles = (adminUrl: string): Promise<void> =>
  withConnection(adminUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [lockId]);
    for (const role of [migrateRole, applicationRole]) {
      const known = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role.name]);
      if (known.rowCount === 0) {
        const password = client.escapeLiteral(role.password);
        await client.query(`CREATE ROLE ${role.name} LOGIN PASSWORD ${password}`);
        // Writing and checking migrations creates a shadow database and applies them there.
        if (role === migrateRole) await client.query(`ALTER ROLE ${role.name} CREATEDB`);
      }
    }
    await setRoleDefaults(client, () => {});
    // Without superuser rights, only a member of a role can create a database owned by it.
    const { rows } = await client.query<{ member: boolean }>(
      `SELECT pg_has_role($1, 'MEMBER') AS member`,
      [migrateRole.name],
    );
    if (rows[0]?.member !== true) await client.query(`GRANT ${migrateRole.name} TO CURRENT_USER`);
  });

/** Creates a database owned by the migrate role. Returns false if it already exists. */
export const ensureDatabase = (adminUrl: string, name: string): Promise<boolean> =>
  withConnection(adminUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [lockId]);
    const known = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (known.rowCount !== 0) return false;
    const database = client.escapeIdentifier(name);
    await client.query(`CREATE DATABASE ${database} OWNER ${migrateRole.name}`);
    return true;
  });

/** Drops a database and ends its connections. */
export const dropDatabase = (adminUrl: string, name: string): Promise<void> =>
  withConnection(adminUrl, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${client.escapeIdentifier(name)} WITH (FORCE)`);
  });
