import type { Client } from 'pg';

/**
 * The settings with which the sessions of each role begin. The processes set the same values when
 * they connect. If a pooler drops these, the role's settings still apply. A migration may take any
 * time, so the role that owns the schema has no limit on a statement.
 */
const defaults: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  dgs_app: {
    timezone: 'UTC',
    datestyle: 'ISO, MDY',
    default_transaction_isolation: 'read committed',
    statement_timeout: '30s',
    idle_in_transaction_session_timeout: '30s',
  },
  dgs_migrate: {
    timezone: 'UTC',
    datestyle: 'ISO, MDY',
    default_transaction_isolation: 'read committed',
  },
};

const insufficientPrivilege = '42501';
/**
 * The SQLSTATE of a concurrent change of the role. Roles belong to the whole server, so another
 * database's migration may cause it.
 */
const changedMeanwhile = 'XX000';

const findMissing = async (client: Client, role: string): Promise<[string, string][]> => {
  const { rows } = await client.query<{ config: string[] | null }>(
    `SELECT setconfig AS config FROM pg_db_role_setting
     WHERE setrole = to_regrole($1) AND setdatabase = 0`,
    [role],
  );
  const known = new Set((rows[0]?.config ?? []).map((entry) => entry.toLowerCase()));
  const wanted = Object.entries(defaults[role] ?? {});
  return wanted.filter(([name, value]) => !known.has(`${name}=${value}`.toLowerCase()));
};

const statementOf = (client: Client, role: string, [name, value]: [string, string]): string =>
  `ALTER ROLE ${client.escapeIdentifier(role)} SET ${name} = ` +
  (name === 'datestyle' ? value : client.escapeLiteral(value));

/**
 * Sets the time zone, the style of dates, the isolation and the timeouts as defaults of the roles.
 * If this role may not change the other role, it logs what an administrator has to run. A process
 * that then finds another time zone refuses to start.
 */
export const setRoleDefaults = async (
  client: Client,
  log: (message: string) => void,
): Promise<void> => {
  for (const role of Object.keys(defaults)) {
    const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
    if (rowCount === 0) continue;
    const statements = (await findMissing(client, role)).map((setting) =>
      statementOf(client, role, setting),
    );
    try {
      for (const statement of statements) await client.query(statement);
    } catch (error) {
      const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
      if (code === changedMeanwhile && (await findMissing(client, role)).length === 0) continue;
      if (code !== insufficientPrivilege) throw error;
      log(`an administrator should run: ${statements.join('; ')};`);
    }
  }
};
