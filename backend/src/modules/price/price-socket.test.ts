import type { Redis } from 'ioredis';
import type { Server } from 'socket.io';
import { io, type Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectRedis } from '#test/support/connect-redis.ts';
import { eventually } from '#test/support/eventually.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { makePrice } from '#test/support/prices.ts';
import { createRestartableRedis } from '#test/support/restartable-redis.ts';
import { addMs, msBetween, type Clock } from '../../platform/clock/clock.ts';
import { closeRedis, createRedis } from '../../platform/redis/index.ts';
import { createAdmins } from '../admins/index.ts';
import { attachPriceSocket, createPriceBroadcast, type LivePrice } from './index.ts';
import { insertTick } from './price.store.ts';
import { markOf } from './price.types.ts';

interface Message {
  readonly event: string;
  readonly body: Readonly<Record<string, unknown>>;
}

let system: TestSystem;
let sockets: Socket[] = [];
const clients: Redis[] = [];

beforeAll(async () => {
  system = await openTestSystem();
});

afterEach(() => {
  for (const socket of sockets) socket.disconnect();
  sockets = [];
});

afterAll(async () => {
  await Promise.all(clients.map(closeRedis));
  await system.close();
});

const patient = (url = system.addresses.redisUrl): Redis => {
  const redis = createRedis(url, 'patient');
  clients.push(redis);
  return redis;
};

let replicas = 0;
/** Opens a replica of the customer API that receives broadcasts. Returns its address. */
const serveReplica = async (options: { redisUrl?: string; wall?: Clock } = {}) => {
  const { redisUrl, wall = system.wall } = options;
  const [publisher, subscriber] = [patient(redisUrl), patient(redisUrl)];
  const { db } = system;
  let io: Server | undefined;
  const url = await system.serve({
    prefix: '/v1',
    routes: [],
    guard: createAdmins({ ...system, tokenTtlSeconds: 60 }).guard,
    onServer: (server) => {
      io = attachPriceSocket(server, {
        publisher,
        subscriber,
        db,
        wall,
        timers: system.timers,
        logger: system.logger,
        metrics: system.metrics,
        trustProxyHops: 1,
        socketsPerAddress: 3,
      });
    },
  });
  if (redisUrl === undefined) {
    // The replicas of this file end only after all tests.
    replicas += 1;
    const subscribed = replicas;
    await eventually(async () => {
      expect(await io?.of('/price').adapter.serverCount()).toBeGreaterThanOrEqual(subscribed);
    });
  }
  return url.replace('/v1', '');
};

/** Connects a client of the feed, and collects its messages. */
const listen = async (url: string, transport: 'websocket' | 'polling' = 'websocket') => {
  const heard: Message[] = [];
  const socket = io(`${url}/price`, { transports: [transport], forceNew: true });
  sockets.push(socket);
  socket.onAny((event: string, body: Message['body']) => void heard.push({ event, body }));
  await eventually(() => socket.connected);
  return heard;
};

let minutes = 0;
/** Inserts a tick that is newer than all others. */
const addTick = async (changes: Partial<LivePrice> = {}, mark?: Date) => {
  minutes += 1;
  const at = mark ?? addMs(system.wall.now(), minutes * 60_000);
  const made = makePrice({ asOf: at, ...changes });
  const seq = await insertTick(system.db, system.random.uuid(), at, made);
  return { price: made, seq: seq ?? 0, stale: false };
};

const snapshotOf = async (url: string) => {
  const heard = await listen(url);
  return eventually(() => {
    const [first] = heard;
    if (first === undefined) throw new Error('nothing heard');
    return first;
  });
};

describe('a client', () => {
  it('gets no snapshot before there is a price', async () => {
    const url = await serveReplica();
    const heard = await listen(url);
    const tick = { price: makePrice(), seq: 1, stale: false };
    const broadcast = createPriceBroadcast({ redis: system.redis, logger: system.logger });
    await eventually(() => {
      broadcast(tick);
      return heard.length > 0;
    });
    expect(heard[0]?.event).toBe('price_update');
  });

  it('gets one snapshot when it connects, of the last tick', async () => {
    await addTick();
    const { price: last, seq } = await addTick();
    const url = await serveReplica();
    const first = await snapshotOf(url);
    expect(first).toEqual({
      event: 'price_snapshot',
      body: {
        buyPaise: 741_000,
        sellPaise: 719_000,
        spotPaise: 730_000,
        currency: 'INR',
        unit: 'GRAM',
        source: 'PROVIDER',
        asOf: last.asOf.toISOString(),
        seq,
      },
    });
  });

  it('gets a stale snapshot marked as stale, if its price is repeated or the feed has stopped', async () => {
    const { price: last } = await addTick();
    const mark = addMs(last.asOf, 9997);
    await addTick({ asOf: last.asOf }, mark);
    const at = (ms: number): Clock => ({ now: () => addMs(mark, ms) });
    const carried = await snapshotOf(await serveReplica({ wall: at(1000) }));
    expect(carried.body).toMatchObject({ stale: true });

    const { price: fresh } = await addTick();
    const later = (ms: number): Clock => ({ now: () => addMs(fresh.asOf, ms) });
    const soon = await snapshotOf(await serveReplica({ wall: later(15_000) }));
    expect(soon.body).not.toHaveProperty('stale');
    const silent = await snapshotOf(await serveReplica({ wall: later(21_000) }));
    expect(silent.body).toMatchObject({ stale: true });
  });
});

describe('a broadcast', () => {
  it('reaches every replica, by websocket and by polling', async () => {
    const [one, two] = await Promise.all([serveReplica(), serveReplica()]);
    const heard = await Promise.all([listen(one), listen(two), listen(two, 'polling')]);
    const broadcast = createPriceBroadcast({ redis: system.redis, logger: system.logger });
    const tick = await addTick();
    broadcast({ ...tick, stale: true });
    const updates = await eventually(() => {
      const found = heard.map((all) => all.filter(({ event }) => event === 'price_update'));
      expect(found.map((each) => each.length)).toEqual([1, 1, 1]);
      return found.flat();
    });
    for (const { body } of updates) {
      expect(body).toMatchObject({ buyPaise: 741_000, seq: tick.seq, stale: true });
    }
  });

  it('survives an outage of Redis, and arrives again after it', async () => {
    const server = await createRestartableRedis();
    await server.start();
    const redis = await connectRedis(server.url);
    clients.push(redis);
    const url = await serveReplica({ redisUrl: server.url });
    const heard = await listen(url);
    const broadcast = createPriceBroadcast({ redis, logger: system.logger });
    const tick = await addTick();
    await server.stop();
    broadcast(tick);
    await eventually(() => system.logged().includes('a tick could not be broadcast'));
    await server.start();
    const update = await eventually(() => {
      broadcast(tick);
      const found = heard.find(({ event }) => event === 'price_update');
      if (found === undefined) throw new Error('not heard yet');
      return found;
    });
    expect(update.body).toMatchObject({ seq: tick.seq });
    await server.close();
  });
});

/** Returns a mark later than every tick of this file, and a clock that is `ms` before it. */
const shortlyBefore = (ms: number) => {
  minutes += 10;
  const mark = markOf(addMs(system.wall.now(), minutes * 60_000));
  const begun = system.wall.now();
  const now = (): Date => addMs(mark, msBetween(begun, system.wall.now()) - ms);
  return { mark, wall: { now } };
};
const updatesOf = (heard: readonly Message[]): unknown[] =>
  heard.filter(({ event }) => event === 'price_update').map(({ body }) => body['seq']);

describe('a mark whose broadcast did not arrive', () => {
  it('is read and sent by each replica without Redis, and only once if the broadcast is late', async () => {
    const server = await createRestartableRedis();
    await server.start();
    const redis = await connectRedis(server.url);
    clients.push(redis);
    const { mark, wall } = shortlyBefore(6000);
    const urls = await Promise.all([1, 2].map(() => serveReplica({ redisUrl: server.url, wall })));
    const heard = await Promise.all(urls.map((url) => listen(url)));
    await server.stop();
    const tick = await addTick({}, mark);
    await eventually(() => {
      for (const each of heard) expect(updatesOf(each)).toEqual([tick.seq]);
    });

    await server.start();
    const broadcast = createPriceBroadcast({ redis, logger: system.logger });
    const next = { ...tick, seq: tick.seq + 1 };
    await eventually(() => {
      broadcast(tick);
      broadcast(next);
      for (const each of heard) expect(updatesOf(each)).toContain(next.seq);
    });
    for (const each of heard) {
      expect(updatesOf(each).filter((seq) => seq === tick.seq)).toHaveLength(1);
    }
    await server.close();
  });

  it('is not sent again by a replica that received the broadcast', async () => {
    const { mark, wall } = shortlyBefore(500);
    const url = await serveReplica({ wall });
    const heard = await listen(url);
    await eventually(() => wall.now() >= mark);
    const tick = await addTick({}, mark);
    createPriceBroadcast({ redis: system.redis, logger: system.logger })(tick);
    await eventually(() => updatesOf(heard).length > 0);
    await eventually(() => msBetween(mark, wall.now()) > 3000);
    expect(updatesOf(heard)).toEqual([tick.seq]);
  });
});

describe('the connection of a socket', () => {
  it('is allowed from any origin', async () => {
    const url = await serveReplica();
    const response = await fetch(`${url}/socket.io/?EIO=4&transport=polling`, {
      headers: { origin: 'https://anybody.example' },
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('gets the security headers of the API, also with a refusal', async () => {
    const url = await serveReplica();
    for (const [query, status] of [
      ['EIO=4&transport=polling', 200],
      ['EIO=4&transport=polling&sid=nobody', 400],
    ] as const) {
      const response = await fetch(`${url}/socket.io/?${query}`);
      expect(response.status).toBe(status);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': expect.stringContaining("script-src 'self'"),
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
        'x-content-type-options': 'nosniff',
      });
    }
  });

  it('accepts no message beyond 16 kB, and gets no answer to client messages', async () => {
    const url = await serveReplica();
    const heard = await listen(url);
    const [socket] = sockets;
    socket?.emit('price_update', { buyPaise: 1 });
    const other = await listen(url);
    const tick = await addTick();
    createPriceBroadcast({ redis: system.redis, logger: system.logger })(tick);
    await eventually(() => other.some(({ event }) => event === 'price_update'));
    for (const { body } of [...heard, ...other]) expect(body['buyPaise']).toBe(741_000);
    socket?.emit('noise', 'x'.repeat(20_000));
    await eventually(() => socket?.connected === false);
  });
});

/** Connects a client of this address behind the proxy. Resolves when connected or refused. */
const connect = async (url: string, address: string, transport = 'websocket') => {
  const socket = io(`${url}/price`, {
    transports: [transport],
    forceNew: true,
    reconnection: false,
    extraHeaders: { 'x-forwarded-for': address },
  });
  sockets.push(socket);
  const isConnected = await new Promise<boolean>((resolve) => {
    socket.on('connect', () => resolve(true));
    socket.on('connect_error', () => resolve(false));
    socket.on('disconnect', () => resolve(false));
  });
  return { socket, isConnected };
};
const connectedOf = async (url: string, addresses: readonly string[], transport?: string) => {
  const answers = await Promise.all(addresses.map((each) => connect(url, each, transport)));
  return answers.filter(({ isConnected }) => isConnected).length;
};

describe('sockets of one address', () => {
  it.each(['websocket', 'polling'])('are limited on each replica: %s', async (transport) => {
    const url = await serveReplica();
    const address = '203.0.113.7';
    const one = await connect(url, address, transport);
    expect(one.isConnected).toBe(true);
    expect(await connectedOf(url, [address, address], transport)).toBe(2);
    expect(await connectedOf(url, [address], transport)).toBe(0);
    expect(await connectedOf(url, ['203.0.113.8'], transport)).toBe(1);
    one.socket.disconnect();
    await eventually(async () => (await connectedOf(url, [address], transport)) === 1);
  });

  it('are counted exactly if they connect at once', async () => {
    const url = await serveReplica();
    const many = Array.from({ length: 20 }, () => '203.0.113.9');
    const answers = await Promise.all(many.map((each) => connect(url, each)));
    await eventually(() => answers.filter(({ socket }) => socket.connected).length === 3);
    const { body } = await system.metrics.text();
    expect(body).toMatch(/bound_reached_total\{bound="price_sockets",[^}]*\} [1-9]/u);
  });

  it('are those of an IPv6 /64, and of the address that the trusted proxy saw', async () => {
    const url = await serveReplica();
    const one = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '2001:db8:1:2:a:b:c:d'];
    expect(await connectedOf(url, one)).toBe(3);
    expect(await connectedOf(url, ['2001:db8:1:2::9'])).toBe(0);
    expect(await connectedOf(url, ['2001:db8:1:3::1'])).toBe(1);
    // The entries before the proxy's own entry were written by the client.
    expect(await connectedOf(url, ['198.51.100.1, 2001:db8:1:2::5'])).toBe(0);
  });
});
