import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withConnection } from '../../src/apps/dev/database-setup.ts';
import { longRunning } from '../../src/apps/dev/environment.ts';
import { createProcessRecords } from '../../src/apps/dev/process-records.ts';
import { stopProcess } from '../../src/apps/dev/process-control.ts';
import type { StackOptions } from '../../src/apps/dev/stack-options.ts';
import { stackPaths } from '../../src/apps/dev/stack-paths.ts';
import { startStack } from '../../src/apps/dev/start-stack.ts';
import { resetStack, stopStack } from '../../src/apps/dev/stop-stack.ts';
import { choosePorts } from '../support/choose-ports.ts';
import { openRunFolder, type RunFolder } from '../support/run-folder.ts';

const silent = (): void => {};

let folder: RunFolder;
let options: StackOptions;

beforeAll(async () => {
  folder = await openRunFolder();
  options = {
    paths: stackPaths(resolve(import.meta.dirname, '..', '..', '..'), join(folder.path, 'stack')),
    ports: await choosePorts(),
    adminUrl: undefined,
    redisUrl: undefined,
    databaseName: 'digital_gold',
  };
});

afterAll(async () => {
  await resetStack(options, silent);
  await folder.close();
});

const recordOf = (name: string) => createProcessRecords(options.paths.run).findAlive(name);

const pids = async (): Promise<(number | undefined)[]> =>
  Promise.all([...longRunning, 'redis'].map(async (name) => (await recordOf(name))?.pid));

const tables = async (url: string): Promise<unknown> => {
  const sql = `SELECT count(*)::int AS count FROM information_schema.tables WHERE table_schema = 'public'`;
  const result = await withConnection(url, (client) => client.query<{ count: number }>(sql));
  return result.rows[0]?.count;
};

it('names every busy port before it starts anything', async () => {
  const server = createServer();
  await new Promise<void>((done) => server.listen(options.ports.admin, '127.0.0.1', done));
  await expect(startStack(options, silent)).rejects.toThrow(
    `port ${options.ports.admin} (admin) is in use by another program; free it or set ADMIN_PORT`,
  );
  await new Promise((done) => server.close(done));
});

it('comes up, and a second time leaves alone what runs', async () => {
  await startStack(options, silent);
  const first = await pids();
  expect(first).not.toContain(undefined);
  expect(statSync(options.paths.endpointsFile).mode % 0o1000).toBe(0o600);
  expect(statSync(options.paths.environmentFile).mode % 0o1000).toBe(0o600);
  await startStack(options, silent);
  expect(await pids()).toEqual(first);
});

it('brings back a process that died, and leaves a closed gate closed', async () => {
  const gate = join(options.paths.settings, 'DIGITAL_SELL_ENABLED');
  writeFileSync(gate, 'false');
  const worker = await recordOf('worker');
  await stopProcess({ pid: worker?.pid ?? 0, mark: worker?.mark ?? '', signal: 'SIGKILL' });
  expect(await recordOf('worker')).toBeUndefined();
  await startStack(options, silent);
  expect((await recordOf('worker'))?.pid).not.toBe(worker?.pid);
  expect(readFileSync(gate, 'utf8')).toBe('false');
});

it('goes down and comes up again with its data', async () => {
  const { migrateUrl } = await startStack(options, silent);
  await withConnection(migrateUrl, (client) => client.query('CREATE TABLE kept_data (a int)'));
  const before = await tables(migrateUrl);
  await stopStack(options, silent);
  expect(new Set(await pids())).toEqual(new Set([undefined]));
  await expect(tables(migrateUrl)).rejects.toThrow('ECONNREFUSED');
  await startStack(options, silent);
  expect(await tables(migrateUrl)).toBe(before);
});

it('is empty after a reset', async () => {
  await resetStack(options, silent);
  expect(() => statSync(options.paths.endpointsFile)).toThrow('ENOENT');
  expect(() => statSync(options.paths.settings)).toThrow('ENOENT');
  await resetStack(options, silent);
});
