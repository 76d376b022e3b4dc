import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import express from 'express';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { unhurried } from '#test/support/connect-redis.ts';
import { eventually } from '#test/support/eventually.ts';
import { freePort } from '#test/support/free-port.ts';
import { createRestartableRedis, type RestartableRedis } from '#test/support/restartable-redis.ts';
import { errorMiddleware } from '../http/error-middleware.ts';
import { requestIdMiddleware } from '../http/request-scope.ts';
import { createRandom } from '../ids/random.ts';
import { closeRedis, createRedis, untilReady } from '../redis/create-redis.ts';
import { createWindowLimit, createRateLimit } from './create-rate-limit.ts';

let redisServer: RestartableRedis;
const servers: Server[] = [];
const clients: ReturnType<typeof createRedis>[] = [];

beforeAll(async () => {
  redisServer = await createRestartableRedis();
  await redisServer.start();
});
afterAll(async () => {
  await redisServer.close();
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await Promise.all(clients.splice(0).map(closeRedis));
});

const startReplica = async (prefix: string, limit = 3) => {
  const redis = createRedis(redisServer.url, 'fail-fast', unhurried);
  clients.push(redis);
  let limited = 0;
  const app = express();
  app.set('trust proxy', 1);
  app.use(requestIdMiddleware(createRandom()));
  const onLimited = (): void => {
    limited += 1;
  };
  app.use(createRateLimit({ redis, prefix, limit, windowMs: 60_000, onLimited }));
  app.get('/', (_req, res) => {
    res.json({ ok: true });
  });
  app.use(errorMiddleware({ error: () => undefined }));
  const port = await freePort();
  const server = createServer(app).listen(port, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const get = async (ip: string): Promise<Response> =>
    await fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-forwarded-for': ip } });
  const statuses = async (ip: string, count: number): Promise<number[]> => {
    const all: number[] = [];
    for (let index = 0; index < count; index += 1) all.push((await get(ip)).status);
    return all;
  };
  return { get, statuses, redis, limited: () => limited };
};

it('a rate limit counts uses of a window over all replicas, and alone while the cache is down', async () => {
  const replicas = [1, 2].map(() => {
    const redis = createRedis(redisServer.url, 'fail-fast', unhurried);
    clients.push(redis);
    const limit = createWindowLimit({ redis, prefix: 'uses', limit: 2, windowMs: 60_000 });
    return { redis, limit };
  });
  await Promise.all(replicas.map(({ redis }) => untilReady(redis, 30_000)));
  const [a, b] = replicas.map(({ limit }) => limit);
  expect(await a?.('one')).toBeUndefined();
  expect(await b?.('one')).toBeUndefined();
  expect(await a?.('one')).toBeGreaterThan(0);
  expect(await b?.('one')).toBeLessThanOrEqual(60);
  expect(await b?.('other')).toBeUndefined();
  await redisServer.stop();
  expect([await a?.('two'), await a?.('two')]).toEqual([undefined, undefined]);
  expect(await a?.('two')).toBeGreaterThan(0);
  await redisServer.start();
});

describe('createRateLimit', () => {
  it('refuses beyond the limit with the envelope and the headers of draft 8', async () => {
    const { get, statuses, redis, limited } = await startReplica('one');
    await untilReady(redis, 30_000);
    const first = await get('203.0.113.1');
    expect(first.headers.get('ratelimit')).toMatch(/^"one"; r=2; t=\d+$/u);
    expect(first.headers.get('ratelimit-policy')).toMatch(/^"one"; q=3; w=60/u);
    expect(await statuses('203.0.113.1', 3)).toEqual([200, 200, 429]);
    const refused = await get('203.0.113.1');
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(await refused.json()).toMatchObject({ error: { code: 'RATE_LIMITED' } });
    expect(limited()).toBe(2);
    expect((await get('203.0.113.2')).status).toBe(200);
  });

  it('counts one client over all replicas, an IPv6 client by its /56', async () => {
    const [a, b] = [await startReplica('two'), await startReplica('two')];
    await Promise.all([untilReady(a.redis, 30_000), untilReady(b.redis, 30_000)]);
    expect(await a.statuses('2001:db8:0:1::1', 2)).toEqual([200, 200]);
    expect(await b.statuses('2001:db8:0:2::1', 2)).toEqual([200, 429]);
    expect(await b.statuses('2001:db8:0:100::1', 1)).toEqual([200]);
  });

  it('does not let a client choose its own address', async () => {
    const { get, redis } = await startReplica('spoof', 1);
    await untilReady(redis, 30_000);
    expect((await get('198.51.100.1, 203.0.113.9')).status).toBe(200);
    expect((await get('198.51.100.2, 203.0.113.9')).status).toBe(429);
  });

  it('counts alone while the cache is down, also from the start, and together again', async () => {
    await redisServer.stop();
    const { statuses, redis } = await startReplica('down');
    expect(await statuses('203.0.113.5', 4)).toEqual([200, 200, 200, 429]);
    await redisServer.start();
    await untilReady(redis, 30_000);
    const keys = async (): Promise<number> => (await redis.keys('rate-limit:down:*')).length;
    await eventually(async () => {
      await statuses('203.0.113.6', 1);
      return (await keys()) > 0;
    });
  });

  it('does not forget what it counted alone when the cache is back', async () => {
    const { statuses, redis } = await startReplica('back');
    await untilReady(redis, 30_000);
    expect(await statuses('203.0.113.8', 1)).toEqual([200]);
    await redisServer.stop();
    expect(await statuses('203.0.113.8', 2)).toEqual([200, 200]);
    await redisServer.start();
    await untilReady(redis, 30_000);
    const after: number[] = [];
    await eventually(async () => {
      after.push(...(await statuses('203.0.113.8', 1)));
      return (await redis.keys('rate-limit:back:*')).length > 0;
    });
    after.push(...(await statuses('203.0.113.8', 1)));
    expect(after).toEqual(after.map(() => 429));
  });

  it('goes on limiting who had used up the limit when the cache is lost', async () => {
    const { statuses, redis } = await startReplica('lost');
    await untilReady(redis, 30_000);
    expect(await statuses('203.0.113.7', 4)).toEqual([200, 200, 200, 429]);
    await redisServer.stop();
    expect(await statuses('203.0.113.7', 1)).toEqual([429]);
    await redisServer.start();
  });
});

it('a rate limit that nothing uses any more is freed, with what it was made for', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const redis = createRedis(redisServer.url, 'fail-fast', unhurried);
  clients.push(redis);
  const makeAndLeave = (): WeakRef<(error: unknown) => void> => {
    const logged: unknown[] = [];
    const onStoreError = (error: unknown): void => void logged.push(error);
    createRateLimit({ redis, prefix: 'left', limit: 3, windowMs: 60_000, onStoreError });
    return new WeakRef(onStoreError);
  };
  const left = makeAndLeave();
  await eventually(() => {
    collectGarbage();
    expect(left.deref()).toBeUndefined();
  });
});
