import { expect, it, onTestFinished } from 'vitest';
import { openCuttableServer } from '#test/support/cuttable-server.ts';
import { eventually } from '#test/support/eventually.ts';
import { startFakeSentinel } from '#test/support/fake-sentinel.ts';
import { createRestartableRedis } from '#test/support/restartable-redis.ts';
import { closeRedis, createRedis, pingRedis, untilReady } from './create-redis.ts';

it('a client comes back where it hears of a new master while it asks for the master', async () => {
  const server = await createRestartableRedis();
  await server.start();
  const between = await openCuttableServer(server.url);
  const { port, password } = new URL(between.url);
  const sentinel = await startFakeSentinel(Number(port));
  const url = `redis://:${password}@gold`;
  const extras = { sentinels: [sentinel.sentinel], commandTimeoutMs: 10_000 };
  const redis = createRedis(url, 'fail-fast', extras);
  const subscriber = createRedis(url, 'patient', extras);
  onTestFinished(async () => {
    await Promise.all([redis, subscriber].map(closeRedis));
    await sentinel.close();
    await between.close();
    await server.close();
  });
  await Promise.all([redis, subscriber].map((each) => untilReady(each, 30_000)));
  const heard: string[] = [];
  subscriber.on('message', (_channel, text) => void heard.push(text));
  await subscriber.subscribe('ticks');
  await eventually(() => sentinel.listeners() === 2);

  const release = sentinel.hold();
  await between.cut();
  await between.restore();
  await eventually(() => sentinel.held() === 2);
  sentinel.tellOfNewMaster();
  // Both have heard it when they have closed their connections to the Sentinel.
  await eventually(() => sentinel.listeners() === 0);
  release();

  await Promise.all([redis, subscriber].map((each) => untilReady(each, 30_000)));
  await pingRedis(redis);
  await eventually(async () => {
    await redis.publish('ticks', 'after');
    expect(heard).toContain('after');
  });
});
