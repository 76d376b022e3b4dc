import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { eventually } from '#test/support/eventually.ts';
import { startRedisCluster, type RedisCluster } from '#test/support/redis-cluster.ts';
import { createTimers } from '../clock/timers.ts';
import { createRevocationList } from '../auth/revocation-list.ts';
import { createWindowLimit } from '../rate-limit/create-rate-limit.ts';
import { createCache } from './create-cache.ts';
import { closeRedis, createRedis, pingRedis, untilReady } from './create-redis.ts';
import { withLock } from './with-lock.ts';

const timers = createTimers();

let servers: RedisCluster;
beforeAll(async () => {
  servers = await startRedisCluster();
});
afterAll(() => servers.close());

const open = async (kind: 'fail-fast' | 'patient'): Promise<Redis> => {
  const redis = createRedis(servers.url, kind, { commandTimeoutMs: 10_000 });
  onTestFinished(() => closeRedis(redis));
  await untilReady(redis, 30_000);
  return redis;
};

const thrown: unknown[] = [];
const onError = (error: unknown): void => void thrown.push(error);

it('a cluster serves the cache, the locks, the limits and the list of ended sessions', async () => {
  const redis = await open('fail-fast');
  await pingRedis(redis);
  const cache = createCache({ redis, prefix: 'test', schema: z.string(), ttlMs: 60_000, onError });
  // Far more keys than servers, so that no two commands need the same one.
  const keys = Array.from({ length: 30 }, (_, index) => `key-${index}`);
  for (const key of keys) expect(await cache.set(key, key)).toBe(true);
  expect(await Promise.all(keys.map((key) => cache.get(key)))).toEqual(keys);
  expect(await cache.del(...keys)).toBe(true);
  expect(await cache.get('key-7')).toBeUndefined();
  for (const key of keys) {
    expect(await withLock({ redis, key, ttlMs: 30_000 }, async () => key)).toBe(key);
  }
  const list = createRevocationList({ redis, onError });
  await list.revoke(keys.slice(0, 5), 60);
  expect(await list.isRevoked(['none', 'key-4'])).toBe(true);
  expect(await list.isRevoked(['none', 'key-9'])).toBe(false);
  const limited = createWindowLimit({
    redis,
    prefix: 'test',
    limit: 2,
    windowMs: 60_000,
    onStoreError: onError,
  });
  for (const key of keys) {
    for (const expected of [false, false, true]) {
      expect((await limited(key)) !== undefined).toBe(expected);
    }
  }
  // Counted there and not here alone.
  expect(await Promise.all(keys.map((key) => redis.get(`window-limit:test:${key}`)))).toEqual(
    keys.map(() => '3'),
  );
  expect(thrown).toEqual([]);
});

it('a cluster goes on while a slot is moved to another server under load, and loses no count', async () => {
  const redis = await open('fail-fast');
  const [publisher, subscriber] = [await open('patient'), await open('patient')];
  await subscriber.subscribe('ticks');
  let heard = 0;
  subscriber.on('message', () => void (heard += 1));
  const ending = new AbortController();
  const counts = { counted: 0, sent: 0 };
  // A tag keeps keys in one slot: the one that is moved.
  const key = 'counter:{moved}';
  const count = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await redis.incr(key);
      counts.counted += 1;
      await redis.set(`other:${counts.counted % 50}:{moved}`, '1', 'PX', 60_000);
      await withLock({ redis, key: '{moved}', ttlMs: 1000 }, () => Promise.resolve(true));
      await publisher.publish('ticks', 'a tick');
      counts.sent += 1;
      await timers.sleep(1);
    }
  };
  const working = Promise.all([count(), count()]);
  await eventually(() => counts.counted > 50);
  for (let move = 0; move < 3; move += 1) {
    const before = counts.counted;
    await servers.moveSlotOf(key);
    await eventually(() => counts.counted > before + 20);
  }
  ending.abort();
  // Nothing was refused: a failed command would have ended the work.
  await working;
  expect(await redis.get(key)).toBe(String(counts.counted));
  await eventually(() => heard === counts.sent);
});
