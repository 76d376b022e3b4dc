import { expect } from 'vitest';
import { createCaller, type Answer } from '#test/support/caller.ts';
import { eventually } from '#test/support/eventually.ts';
import type { RunningSystem } from '#test/support/open-running-system.ts';
import { runningTest } from '#test/support/running-test.ts';
import { createRestartableRedis } from '#test/support/restartable-redis.ts';

const openCompanion = async () => {
  const redis = await createRestartableRedis();
  await redis.start();
  return { redis, environment: { REDIS_URL: redis.url }, close: () => redis.close() };
};

const it = runningTest({ worker: 'none', openCompanion }).extend(
  'redis',
  { scope: 'file' },
  ({ companion }) => companion.redis,
);

const nobody = (system: RunningSystem, path: string, body: object): Promise<Answer> =>
  system.as(undefined)('POST', path, body);

/** Signs a customer in on a device, by an SMS. */
const signIn = async (system: RunningSystem, phone: string, deviceId: string) => {
  expect(await nobody(system, '/auth/send-otp', { phone })).toMatchObject({ status: 200 });
  const otp = await system.sandbox.codeFor(phone);
  const answer = await nobody(system, '/auth/verify-otp', { phone, otp, deviceId });
  expect(answer).toMatchObject({ status: 200 });
  const accessToken = String(answer.body['accessToken']);
  return { call: system.as(accessToken), refreshToken: String(answer.body['refreshToken']) };
};
type Device = Awaited<ReturnType<typeof signIn>>;

const statusOf = async ({ call }: Device): Promise<number> =>
  (await call('GET', '/users/me')).status;
const endSession = async (by: Device, deviceId: string): Promise<void> => {
  const { body } = await by.call('GET', '/auth/sessions');
  const sessions = body['items'] as { id: string; deviceId: string }[]; // their view
  const id = sessions.find((session) => session.deviceId === deviceId)?.id;
  expect(await by.call('DELETE', `/auth/sessions/${id}`)).toMatchObject({ status: 204 });
};
const cacheState = async (system: RunningSystem): Promise<unknown> => {
  const { status, body } = await createCaller(system.stack.urlOf('customer'))('GET', '/readyz');
  expect(status).toBe(200);
  return JSON.stringify(body);
};

it('the API serves on without Redis, refuses what the documents say, and recovers by itself', async ({
  system,
  redis,
}) => {
  const { phone, userId } = await system.newCustomer();
  const blocked = await system.newCustomer();
  const phoneDevice = await signIn(system, phone, 'phone');
  const lost = await signIn(system, phone, 'lost');
  expect(await phoneDevice.call('POST', '/auth/set-mpin', { mpin: '4829' })).toMatchObject({
    status: 200,
  });
  await endSession(phoneDevice, 'lost');
  expect(await statusOf(lost)).toBe(401);

  await redis.stop();
  await eventually(async () => expect(await cacheState(system)).toContain('failed'));

  // The revocation list alone is not checked: the token lasts, and nothing that outlives it.
  expect(await statusOf(lost)).toBe(200);
  const { refreshToken } = lost;
  expect(await nobody(system, '/auth/refresh', { refreshToken })).toMatchObject({ status: 401 });
  expect(await lost.call('POST', '/auth/set-mpin', { mpin: '0000' })).toMatchObject({
    status: 401,
  });
  expect(await lost.call('POST', '/auth/biometric-token', {})).toMatchObject({ status: 401 });
  await system.query(
    `UPDATE app_user SET blocked = true, blocked_reason = 'fraud' WHERE id = $1::uuid`,
    blocked.userId,
  );
  expect(await blocked.call('GET', '/users/me')).toMatchObject({ status: 401 });

  // Every way in is open, and guessing is counted.
  const device = await signIn(system, phone, 'second');
  expect(await statusOf(device)).toBe(200);
  const refreshed = await nobody(system, '/auth/refresh', {
    refreshToken: phoneDevice.refreshToken,
  });
  expect(refreshed).toMatchObject({ status: 200, body: { mpinSet: true } });
  const byMpin = (mpin: string) =>
    nobody(system, '/auth/login-mpin', { phone, mpin, deviceId: 'third' });
  expect(await byMpin('4829')).toMatchObject({ status: 200 });
  const wrong = await Promise.all(Array.from({ length: 8 }, () => byMpin('1111')));
  expect(wrong.filter(({ code }) => code === 'INVALID_CREDENTIALS')).toHaveLength(5);
  expect(await byMpin('4829')).toMatchObject({ status: 429, code: 'MPIN_LOCKED' });
  expect(await device.call('GET', '/price/current')).toMatchObject({ status: 200 });

  // One client has as much as ever.
  const headers = { 'x-forwarded-for': '198.51.100.77' };
  const client = createCaller(`${system.stack.urlOf('customer')}/v1`, headers);
  const statuses: number[] = [];
  for (let n = 0; n < 101; n += 1) statuses.push((await client('GET', '/users/me')).status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(100);
  expect(statuses.at(-1)).toBe(429);

  await redis.start();
  await eventually(async () => expect(await cacheState(system)).not.toContain('failed'));
  const again = await signIn(system, phone, 'fourth');
  await endSession(again, 'second');
  expect(await statusOf(device)).toBe(401);
  expect(await statusOf(again)).toBe(200);
  const rows = await system.query(
    `SELECT id FROM session WHERE user_id = $1::uuid AND device_id = 'lost' AND revoked_at IS NULL`,
    userId,
  );
  expect(rows).toEqual([]);
});
