import { appendFileSync, chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../dev/stack/free-port.ts';
import { migrateDatabase } from '../../dev/stack/migrate-database.ts';
import { startPostgres, stopPostgres } from '../../dev/stack/postgres-server.ts';
import { runOrThrow } from '../../dev/stack/run-command.ts';
import { findServerUser, prepareServerHome } from '../../dev/stack/server-user.ts';
import { prepareDatabase } from '../../dev/stack/stack-servers.ts';
import { callTestServers } from './call-test-servers.ts';

/** A primary with the service's schema, and a standby that streams from it. */
export interface StandbyPair {
  readonly primary: {
    readonly databaseUrl: string;
    readonly migrateUrl: string;
    readonly adminUrl: string;
  };
  readonly standby: { readonly databaseUrl: string; readonly adminUrl: string };
  /** Stops the standby, which then knows of nothing that is written, or starts it again. */
  stopStandby(): Promise<void>;
  startStandby(): Promise<void>;
  close(): Promise<void>;
}

const backend = join(import.meta.dirname, '..', '..');
const database = 'digital_gold';

const onPort = (url: string, port: number): string => {
  const address = new URL(url);
  address.port = String(port);
  return address.href;
};

/**
 * Starts both in a separate folder. The standby begins as a copy of the primary's data, which does
 * not change meanwhile, and streams from there on.
 */
export const openStandbyPair = async (settings: readonly string[] = []): Promise<StandbyPair> => {
  const user = await findServerUser();
  const folder = mkdtempSync(join(tmpdir(), 'digital-gold-standby-'));
  const home = await prepareServerHome(folder, user);
  const serverOf = async (name: string) => ({
    home,
    data: join(home, name),
    port: await freePort(),
    logFile: join(folder, `${name}.log`),
    user,
    durable: false,
  });
  const primary = await serverOf('primary');
  const { adminUrl } = await startPostgres(primary);
  const { databaseUrl, migrateUrl } = await prepareDatabase(adminUrl, database);
  await callTestServers('POST', '/builds/migrate');
  await migrateDatabase({ backend, environment: { APP_MODE: 'test' }, migrateUrl });
  await stopPostgres(primary.data);
  const standby = await serverOf('standby');
  cpSync(primary.data, standby.data, { recursive: true });
  rmSync(join(standby.data, 'postmaster.pid'), { force: true });
  writeFileSync(join(standby.data, 'standby.signal'), '');
  const { username, password, hostname } = new URL(adminUrl);
  const source = `host=${hostname} port=${primary.port} user=${username} password=${password}`;
  const lines = [`primary_conninfo = '${source}'`, ...settings];
  appendFileSync(join(standby.data, 'postgresql.auto.conf'), `${lines.join('\n')}\n`);
  chmodSync(standby.data, 0o700);
  if (user !== undefined) {
    await runOrThrow('chown', ['-R', `${user.uid}:${user.gid}`, standby.data]);
  }
  await startPostgres(primary);
  await startPostgres(standby);
  return {
    primary: { databaseUrl, migrateUrl, adminUrl },
    standby: {
      databaseUrl: onPort(databaseUrl, standby.port),
      adminUrl: onPort(adminUrl, standby.port),
    },
    stopStandby: async () => void (await stopPostgres(standby.data)),
    startStandby: async () => void (await startPostgres(standby)),
    async close() {
      await stopPostgres(standby.data);
      await stopPostgres(primary.data);
      for (const left of [home, folder]) rmSync(left, { recursive: true, force: true });
    },
  };
};
