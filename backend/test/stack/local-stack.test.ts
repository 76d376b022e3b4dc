import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onDatabase, withConnection } from '../../dev/stack/database-setup.ts';
import { longRunning } from '../../dev/stack/environment.ts';
import { adminUrlOf } from '../../dev/stack/postgres-server.ts';
import { createProcessRecords } from '../../dev/stack/process-records.ts';
import { stopProcess } from '../../dev/stack/process-control.ts';
import type { StackOptions } from '../../dev/stack/stack-options.ts';
import { stackPaths } from '../../dev/stack/stack-paths.ts';
import { startStack } from '../../dev/stack/start-stack.ts';
import { resetStack, stopStack } from '../../dev/stack/stop-stack.ts';
import { choosePorts } from '#test/support/choose-ports.ts';
import { openRunFolder, type RunFolder } from '#test/support/run-folder.ts';

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
    tracesUrl: undefined,
    tracesPort: 4318,
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

const keptData = (url: string): Promise<unknown> =>
  withConnection(url, async (client) => {
    const { rows } = await client.query(`SELECT to_regclass('kept_data')::text AS name`);
    return rows;
  });

it('the stack names every busy port before it starts anything', async () => {
  const server = createServer();
  await new Promise<void>((done) => server.listen(options.ports.admin, '127.0.0.1', done));
  await expect(startStack(options, silent)).rejects.toThrow(
    `port ${options.ports.admin} (admin) is in use by another program; free it or set ADMIN_PORT`,
  );
  await new Promise((done) => server.close(done));
});

it('the stack comes up with files that nobody else reads', async () => {
  await startStack(options, silent);
  expect(await pids()).not.toContain(undefined);
  expect(statSync(options.paths.endpointsFile).mode % 0o1000).toBe(0o600);
  expect(statSync(options.paths.environmentFile).mode % 0o1000).toBe(0o600);
});

it('a second time leaves alone what runs, and brings back what died', async () => {
  const before = await pids();
  const worker = await recordOf('worker');
  await stopProcess({ pid: worker?.pid ?? 0, mark: worker?.mark ?? '', signal: 'SIGKILL' });
  expect(await recordOf('worker')).toBeUndefined();
  await startStack(options, silent);
  const again = (await recordOf('worker'))?.pid;
  expect(again).not.toBe(worker?.pid);
  expect(await pids()).toEqual(before.map((pid) => (pid === worker?.pid ? again : pid)));
});

it('the stack goes down and comes up again with its data, and a closed gate stays closed', async () => {
  const gate = join(options.paths.settings, 'DIGITAL_SELL_ENABLED');
  writeFileSync(gate, 'false');
  const database = onDatabase(adminUrlOf(options.ports.postgres), 'digital_gold');
  await withConnection(database, (client) => client.query('CREATE TABLE kept_data (a int)'));
  await stopStack(options, silent);
  expect(new Set(await pids())).toEqual(new Set([undefined]));
  await expect(keptData(database)).rejects.toThrow('ECONNREFUSED');
  await startStack(options, silent);
  expect(await keptData(database)).toEqual([{ name: 'kept_data' }]);
  expect(readFileSync(gate, 'utf8')).toBe('false');
});

it('the stack is empty after a reset', async () => {
  await resetStack(options, silent);
  expect(() => statSync(options.paths.endpointsFile)).toThrow('ENOENT');
  expect(() => statSync(options.paths.settings)).toThrow('ENOENT');
  await resetStack(options, silent);
});
