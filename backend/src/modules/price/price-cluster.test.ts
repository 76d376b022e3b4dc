import type { Server } from 'socket.io';
import { io, type Socket } from 'socket.io-client';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { openTestSystem } from '#test/support/open-test-system.ts';
import { makePrice } from '#test/support/prices.ts';
import { startRedisCluster } from '#test/support/redis-cluster.ts';
import { closeRedis, createRedis } from '../../platform/redis/index.ts';
import { createAdmins } from '../admins/index.ts';
import { attachPriceSocket, createPriceBroadcast } from './index.ts';

it('a tick reaches every replica once through a cluster whose slots move', async () => {
  const [servers, system] = await Promise.all([startRedisCluster(), openTestSystem()]);
  const open = (): ReturnType<typeof createRedis> => {
    const redis = createRedis(servers.url, 'patient');
    onTestFinished(() => closeRedis(redis));
    return redis;
  };
  onTestFinished(async () => {
    await system.close();
    await servers.close();
  });
  const heard: string[][] = [[], []];
  const sockets: Socket[] = [];
  for (const messages of heard) {
    let server: Server | undefined;
    const url = await system.serve({
      prefix: '/v1',
      routes: [],
      guard: createAdmins({ ...system, tokenTtlSeconds: 60 }).guard,
      onServer: (http) => {
        server = attachPriceSocket(http, {
          ...system,
          publisher: open(),
          subscriber: open(),
          trustProxyHops: 1,
          socketsPerAddress: 3,
        });
      },
    });
    const socket = io(`${url.replace('/v1', '')}/price`, { transports: ['websocket'] });
    onTestFinished(() => void socket.disconnect());
    socket.on('price_update', ({ seq }: { seq: number }) => messages.push(String(seq)));
    sockets.push(socket);
    await eventually(() => socket.connected && server !== undefined);
  }
  const send = createPriceBroadcast({ redis: open(), logger: system.logger });
  const seqs = [2, 3, 4, 5, 6, 7];
  // The first tick may arrive before every replica has subscribed.
  await eventually(() => {
    send({ price: makePrice(), seq: 1, stale: false });
    return heard.every((messages) => messages.length > 0);
  });
  const heardSince = (): string[][] =>
    heard.map((messages) => messages.filter((seq) => seq !== '1'));
  for (const [index, seq] of seqs.entries()) {
    if (seq % 2 === 0) await servers.moveSlotOf(`key-${seq}`);
    send({ price: makePrice(), seq, stale: false });
    // The servers forward messages at different times, and ticks are seconds apart.
    const soFar = seqs.slice(0, index + 1).map(String);
    await eventually(() => expect(heardSince()).toEqual([soFar, soFar]));
  }
});
