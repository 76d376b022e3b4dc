import { expect, it } from 'vitest';
import { unhurried } from '#test/support/connect-redis.ts';
import { openCuttableServer } from '#test/support/cuttable-server.ts';
import { eventually } from '#test/support/eventually.ts';
import { createRestartableRedis } from '#test/support/restartable-redis.ts';
import { createTimers } from '../clock/timers.ts';
import { closeRedis, createRedis, pingRedis, untilReady } from './create-redis.ts';

/** A server that was replaced works again within this time of the new one's first answer. */
const backInTime = { timeoutMs: 15_000 };

const openServers = async () => {
  const [first, second] = await Promise.all([createRestartableRedis(), createRestartableRedis()]);
  await Promise.all([first.start(), second.start()]);
  const between = await openCuttableServer(first.url);
  const close = async (): Promise<void> => {
    await between.close();
    await Promise.all([first.close(), second.close()]);
  };
  return { first, second, between, close };
};

it('a client leaves a server that vanished, and hears again what the new one sends', async () => {
  const { second, between, close } = await openServers();
  const redis = createRedis(between.url, 'fail-fast');
  const subscriber = createRedis(between.url, 'patient');
  const publisher = createRedis(second.url, 'patient');
  const heard: string[] = [];
  subscriber.on('message', (_channel, message) => heard.push(message));
  await subscriber.subscribe('ticks');
  await Promise.all([untilReady(redis, 30_000), untilReady(publisher, 30_000)]);

  between.vanish();
  await expect(redis.set('x', '1')).rejects.toThrow('timed out');
  between.reappear(second.url);
  await eventually(async () => {
    await redis.set('x', '1', 'EX', 60);
    await publisher.publish('ticks', 'a tick');
    return heard.length > 0;
  }, backInTime);

  await Promise.all([redis, subscriber, publisher].map(closeRedis));
  await close();
});

it('a client closes in time while the server is gone', async () => {
  const { between, close } = await openServers();
  const clients = (['fail-fast', 'patient'] as const).map((kind) => createRedis(between.url, kind));
  await Promise.all(clients.map((client) => untilReady(client, 30_000)));
  between.vanish();
  const closed = Promise.all(clients.map(closeRedis)).then(() => 'closed');
  expect(await Promise.race([closed, createTimers().sleep(5000)])).toBe('closed');
  await close();
});

it('a client leaves a server that became a replica, by what it answers to a write', async () => {
  const { first, second, between, close } = await openServers();
  const redis = createRedis(between.url, 'fail-fast', unhurried);
  const subscriber = createRedis(between.url, 'patient', { follows: redis });
  await Promise.all([untilReady(redis, 30_000), untilReady(subscriber, 30_000)]);
  await subscriber.subscribe('ticks');
  const admin = createRedis(first.url, 'patient');
  const [host, port] = new URL(second.url).host.split(':');
  await admin.replicaof(host ?? '', port ?? '');

  // The connections stay open, to what only reads now. New ones lead to the new master.
  between.reappear(second.url);
  await expect(pingRedis(redis)).rejects.toThrow('READONLY');
  await eventually(async () => {
    await pingRedis(redis);
    await redis.set('x', '1');
  }, backInTime);
  expect(await redis.get('x')).toBe('1');
  // A subscriber writes nothing and would never notice: it goes along.
  await eventually(async () => {
    expect(await countSubscribed(second.url)).toBeGreaterThan(0);
  }, backInTime);

  await Promise.all([redis, subscriber, admin].map(closeRedis));
  await close();
});

/** Returns how many clients of a server are subscribed to a channel. */
const countSubscribed = async (url: string): Promise<number> => {
  const redis = createRedis(url, 'patient');
  try {
    return String(await redis.client('LIST', 'TYPE', 'PUBSUB'))
      .split('\n')
      .filter(Boolean).length;
  } finally {
    await closeRedis(redis);
  }
};
