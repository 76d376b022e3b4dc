import { describe, expect } from 'vitest';
import { identityTest, newPhone } from '#test/support/identity-test.ts';
import type { OpenIdentity } from '#test/support/open-identity.ts';
import { runPurges } from '#test/support/run-purges.ts';
import { callFrom, otherCode } from '#test/support/session-calls.ts';
import type { CallResponse } from '../../apps/sandbox/testing/open-sandbox.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';
import { createSecurityEventPurge } from '../security-events/index.ts';

const clock = createManualClock();
const it = identityTest({ clock });

const minuteMs = 60_000;
const verify = (
  identity: OpenIdentity,
  phone: string,
  otp: string,
  ip: string,
  device: object = {},
) => callFrom(identity, ip)('POST', '/auth/verify-otp', { phone, otp, ...device });

/** Signs in and returns the customer's id. */
const signIn = async (
  identity: OpenIdentity,
  phone: string,
  ip: string,
  deviceId?: string,
): Promise<CallResponse> => {
  const device = deviceId === undefined ? {} : { deviceId };
  const answer = await verify(identity, phone, await identity.sentCode(phone), ip, device);
  expect(answer.status).toBe(200);
  return answer;
};
const idOf = ({ body }: CallResponse): string => String(Object(body['user'])['id']);

const eventsOf = async (identity: OpenIdentity, userId: string) => {
  const rows = await identity.database.db.securityEvent.findMany({
    where: { userId },
    orderBy: [{ at: 'asc' }, { id: 'asc' }],
  });
  return rows.map(({ kind, ip, deviceId, count }) => ({ kind, ip, deviceId, count }));
};
const notificationsOf = (identity: OpenIdentity, userId: string) =>
  identity.database.db.notification.findMany({
    where: { userId },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });

describe('a sign-in', () => {
  it('notifies the customer of a new device, except for the first one', async ({ identity }) => {
    const phone = newPhone();
    const userId = idOf(await signIn(identity, phone, '198.51.100.1', 'phone'));
    expect(await notificationsOf(identity, userId)).toEqual([]);
    clock.advance(minuteMs);
    await signIn(identity, phone, '198.51.100.2', 'phone');
    expect(await notificationsOf(identity, userId)).toEqual([]);
    clock.advance(minuteMs);
    await signIn(identity, phone, '198.51.100.3', 'tablet');
    expect(await notificationsOf(identity, userId)).toMatchObject([
      { type: 'device_signed_in', data: { sessionId: expect.any(String) } },
    ]);
    clock.advance(minuteMs);
    await signIn(identity, phone, '198.51.100.4', 'tablet');
    expect(await notificationsOf(identity, userId)).toHaveLength(1);
    const event = { kind: 'device_signed_in', count: 1 };
    expect(await eventsOf(identity, userId)).toEqual([
      { ...event, ip: '198.51.100.1', deviceId: 'phone' },
      { ...event, ip: '198.51.100.3', deviceId: 'tablet' },
    ]);
  });

  it('recognises a device after its sessions were purged', async ({ identity }) => {
    const phone = newPhone();
    const userId = idOf(await signIn(identity, phone, '198.51.100.1', 'phone'));
    await identity.database.db.session.deleteMany({ where: { userId } });
    clock.advance(90 * 24 * 60 * minuteMs);
    await signIn(identity, phone, '198.51.100.1', 'phone');
    expect(await eventsOf(identity, userId)).toHaveLength(1);
    expect(await notificationsOf(identity, userId)).toEqual([]);
  });

  it('is counted by address and minute if it is refused, and a lock is another event', async ({
    identity,
  }) => {
    const phone = newPhone();
    const userId = idOf(await signIn(identity, phone, '198.51.100.1', 'phone'));
    clock.advance(minuteMs - (clock.now().getTime() % minuteMs));
    const wrong = otherCode(await identity.sentCode(phone));
    for (const ip of ['203.0.113.9', '203.0.113.9', '203.0.113.9', '203.0.113.9', '203.0.113.8']) {
      clock.advance(1);
      await verify(identity, phone, wrong, ip);
    }
    expect((await eventsOf(identity, userId)).slice(1)).toEqual([
      { kind: 'sign_in_refused', ip: '203.0.113.9', deviceId: null, count: 4 },
      { kind: 'sign_in_locked', ip: '203.0.113.9', deviceId: null, count: 1 },
      { kind: 'sign_in_refused', ip: '203.0.113.8', deviceId: null, count: 1 },
    ]);
    clock.advance(31 * minuteMs);
  });

  it('is an event if it is refused to a blocked customer, and is none for an unregistered phone', async ({
    identity,
  }) => {
    const phone = newPhone();
    const userId = idOf(await signIn(identity, phone, '198.51.100.1', 'phone'));
    await identity.database.db.user.update({
      where: { id: userId },
      data: { blocked: true, blockedReason: 'fraud' },
    });
    clock.advance(minuteMs);
    await verify(identity, phone, await identity.sentCode(phone), '203.0.113.9');
    expect((await eventsOf(identity, userId)).slice(1)).toMatchObject([
      { kind: 'sign_in_refused' },
    ]);
    const before = await identity.database.db.securityEvent.count();
    await verify(identity, newPhone(), '000000', '203.0.113.9');
    expect(await identity.database.db.securityEvent.count()).toBe(before);
  });
});

it('a used refresh token that is presented again is an event', async ({ identity }) => {
  const { body } = await signIn(identity, newPhone(), '198.51.100.1', 'phone');
  const refreshToken = String(body['refreshToken']);
  const userId = String(Object(body['user'])['id']);
  await callFrom(identity, '198.51.100.1')('POST', '/auth/refresh', { refreshToken });
  clock.advance(minuteMs);
  await callFrom(identity, '203.0.113.7')('POST', '/auth/refresh', { refreshToken });
  expect((await eventsOf(identity, userId)).slice(1)).toMatchObject([
    { kind: 'refresh_token_reused', ip: '203.0.113.7', count: 1 },
  ]);
});

it("the service records the connection's address if the forwarded one is not an address", async ({
  identity,
}) => {
  for (const text of ['<script>', '203.0.113.7:port', 'fe80::1%anything', 'unknown']) {
    const userId = idOf(await signIn(identity, newPhone(), text));
    expect(await eventsOf(identity, userId)).toMatchObject([{ ip: '127.0.0.1' }]);
  }
  const userId = idOf(await signIn(identity, newPhone(), '2001:db8::7'));
  expect(await eventsOf(identity, userId)).toMatchObject([{ ip: '2001:db8::7' }]);
  const behindPort = idOf(await signIn(identity, newPhone(), '203.0.113.7:4000'));
  expect(await eventsOf(identity, behindPort)).toMatchObject([{ ip: '203.0.113.7' }]);
});

it('the service keeps events for 400 days', async ({ identity }) => {
  const userId = idOf(await signIn(identity, newPhone(), '198.51.100.1'));
  const { db } = identity.database;
  clock.advance(399 * 24 * 60 * minuteMs);
  await runPurges([createSecurityEventPurge({ db, clock })]);
  expect(await eventsOf(identity, userId)).toHaveLength(1);
  clock.advance(2 * 24 * 60 * minuteMs);
  await runPurges([createSecurityEventPurge({ db, clock })]);
  expect(await eventsOf(identity, userId)).toEqual([]);
});
