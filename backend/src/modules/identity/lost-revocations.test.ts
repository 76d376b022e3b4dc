import { expect, it, onTestFinished } from 'vitest';
import { openCuttableServer } from '#test/support/cuttable-server.ts';
import { eventually } from '#test/support/eventually.ts';
import { openIdentity, type OpenIdentity } from '#test/support/open-identity.ts';
import { createRestartableRedis } from '#test/support/restartable-redis.ts';
import { me, signIn, type Tokens } from '#test/support/session-calls.ts';
import { createSystemClock } from '../../platform/clock/clock.ts';
import { closeRedis, createRedis } from '../../platform/redis/index.ts';

const open = async () => {
  const [first, second] = await Promise.all([createRestartableRedis(), createRestartableRedis()]);
  await Promise.all([first.start(), second.start()]);
  const between = await openCuttableServer(first.url);
  const identity = await openIdentity({ clock: createSystemClock(), redisUrl: between.url });
  const close = async (): Promise<void> => {
    await identity.close();
    await between.close();
    await Promise.all([first.close(), second.close()]);
  };
  onTestFinished(close);
  return { ...identity, first, second, between };
};
const endOther = async (identity: OpenIdentity, { accessToken }: Tokens): Promise<void> => {
  const { body } = await identity.as(accessToken)('GET', '/auth/sessions');
  const sessions = body['items'] as { id: string; current: boolean }[]; // their view
  const other = sessions.find(({ current }) => !current);
  const ended = await identity.as(accessToken)('DELETE', `/auth/sessions/${other?.id}`);
  expect(ended.status).toBe(204);
};

it('the API refuses a session that ended while the cache was a replica', async () => {
  const identity = await open();
  const { first, second, between } = identity;
  const lost = await signIn(identity, '+917654400001', { deviceId: 'lost' });
  const mine = await signIn(identity, '+917654400001', { deviceId: 'mine' });
  expect(await me(identity, lost.accessToken)).toBe(200);
  const admin = createRedis(first.url, 'patient');
  const { hostname, port } = new URL(second.url);
  await admin.replicaof(hostname, port);
  await closeRedis(admin);
  between.reappear(second.url);

  await endOther(identity, mine);
  await eventually(async () => expect(await me(identity, lost.accessToken)).toBe(401), {
    timeoutMs: 15_000,
  });
  expect(await me(identity, mine.accessToken)).toBe(200);
});

it('the API refuses that session after an empty cache replaced the earlier one', async () => {
  const identity = await open();
  const { second, between } = identity;
  const lost = await signIn(identity, '+917654400002', { deviceId: 'lost' });
  const mine = await signIn(identity, '+917654400002', { deviceId: 'mine' });
  await endOther(identity, mine);
  expect(await me(identity, lost.accessToken)).toBe(401);

  await between.cut();
  expect(await me(identity, lost.accessToken)).toBe(200);
  between.reappear(second.url);
  await between.restore();
  await eventually(async () => expect(await me(identity, lost.accessToken)).toBe(401), {
    timeoutMs: 15_000,
  });
});
