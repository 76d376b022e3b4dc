import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Redis } from 'ioredis';
import { expect, it, onTestFinished, vi } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { startRedisSentinels, type RedisSentinels } from '#test/support/redis-sentinels.ts';
import { createTimers } from '../clock/timers.ts';
import { closeRedis, createRedis, pingRedis, untilReady } from './create-redis.ts';
import { withLock } from './with-lock.ts';

const timers = createTimers();
/**
 * Sentinels that had to wait two seconds for the processor or a disk look on for half a minute
 * before they decide, every time that they had to.
 */
const atTheirLeisure = { timeoutMs: 400_000 };
vi.setConfig({ testTimeout: 600_000 });

const start = async (isEncrypted: boolean): Promise<RedisSentinels> => {
  const servers = await startRedisSentinels({ isEncrypted });
  onTestFinished(() => servers.close());
  if (servers.authority !== undefined) {
    const usual = getCACertificates('default');
    setDefaultCACertificates([...usual, readFileSync(servers.authority, 'utf8')]);
    onTestFinished(() => setDefaultCACertificates(usual));
  }
  return servers;
};

const open = (servers: RedisSentinels, kind: 'fail-fast' | 'patient', follows?: Redis): Redis => {
  const { url, sentinels, sentinelPassword } = servers;
  const redis = createRedis(url, kind, {
    sentinels,
    sentinelPassword,
    commandTimeoutMs: 2000,
    ...(follows !== undefined && { follows }),
  });
  onTestFinished(() => closeRedis(redis));
  return redis;
};

/** Writes, sends and takes locks without a pause, and notes what came of it. */
const load = (redis: Redis, publisher: Redis) => {
  const ending = new AbortController();
  const counts = { written: 0, failed: 0 };
  const run = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      try {
        await redis.set(`key:${counts.written % 50}`, '1', 'PX', 60_000);
        await withLock({ redis, key: 'of-load', ttlMs: 1000 }, () => Promise.resolve(true));
        counts.written += 1;
      } catch {
        counts.failed += 1;
      }
      publisher.publish('ticks', 'a tick').catch(() => undefined);
      await timers.sleep(5);
    }
  };
  const running = run();
  return {
    counts,
    async stop() {
      ending.abort();
      await running;
    },
  };
};

it.each([
  ['in clear', false],
  ['encrypted', true],
])(
  'a client goes on with the master that Sentinel names when the one it had is killed, %s',
  async (...of) => {
    const servers = await start(of[1]);
    const redis = open(servers, 'fail-fast');
    const [publisher, subscriber] = [
      open(servers, 'patient', redis),
      open(servers, 'patient', redis),
    ];
    await Promise.all([redis, publisher, subscriber].map((each) => untilReady(each, 30_000)));
    await subscriber.subscribe('ticks');
    let heard = 0;
    subscriber.on('message', () => void (heard += 1));
    await redis.set('kept', 'by the replica');
    await eventually(async () => {
      expect(await redis.wait(1, 1000)).toBe(1);
    });

    const { counts, ...loading } = load(redis, publisher);
    await eventually(() => counts.written > 20 && heard > 20);
    await servers.killMaster();
    await eventually(() => counts.failed > 0);
    const [writtenBefore, heardBefore] = [counts.written, heard];
    await eventually(
      () => counts.written > writtenBefore + 20 && heard > heardBefore + 20,
      atTheirLeisure,
    );
    await loading.stop();
    await pingRedis(redis);
    expect(await redis.get('kept')).toBe('by the replica');
  },
);
