import { describe, expect } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { createGate } from '#test/support/gate.ts';
import { identityTest, newPhone } from '#test/support/identity-test.ts';
import { errorCode, type OpenIdentity } from '#test/support/open-identity.ts';
import { runPurges } from '#test/support/run-purges.ts';
import type { CallResponse } from '../../apps/sandbox/testing/open-sandbox.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';
import { createIdentityPurges } from './identity.sweeps.ts';

const clock = createManualClock();
const minuteMs = 60_000;
const it = identityTest({ clock, hashesAtOnce: 8 });

const rightMpin = '482913';
const wrongMpin = '111111';

/** Signs a new customer in, and sets their MPIN. */
const customerWithMpin = async (identity: OpenIdentity, phone = newPhone(), deviceId = 'phone') => {
  const { body } = await identity.signIn(phone, { deviceId });
  const call = identity.as(String(body['accessToken']));
  const { id } = await identity.database.db.user.findFirstOrThrow({ where: { phone } });
  expect((await call('POST', '/auth/set-mpin', { mpin: rightMpin })).body).toEqual({
    updated: true,
  });
  return { phone, userId: id, call, refreshToken: String(body['refreshToken']) };
};
const login = (
  identity: OpenIdentity,
  phone: string,
  mpin: string,
  device: object = {},
): Promise<CallResponse> => identity.as()('POST', '/auth/login-mpin', { phone, mpin, ...device });
const codesOf = (answers: readonly CallResponse[]): string[] =>
  answers.map((answer) => (answer.status === 200 ? 'ok' : String(errorCode(answer))));
const countOf = (codes: readonly string[], code: string): number =>
  codes.filter((each) => each === code).length;

const eventsOf = async (identity: OpenIdentity, userId: string) => {
  const where = { userId };
  const rows = await identity.database.db.securityEvent.findMany({ where, orderBy: { id: 'asc' } });
  return rows.map(({ kind, count }) => (count === 1 ? kind : `${kind} x${count}`));
};
const noticesOf = async (identity: OpenIdentity, userId: string) => {
  const where = { userId };
  const rows = await identity.database.db.notification.findMany({ where, orderBy: { id: 'asc' } });
  return rows.map(({ type }) => type);
};

describe('POST /auth/set-mpin', () => {
  it('sets an MPIN with which the customer signs in on any device', async ({ identity }) => {
    const { phone, userId, call } = await customerWithMpin(identity);
    const answer = await login(identity, phone, rightMpin, {
      deviceId: 'tablet',
      deviceName: 'My tablet',
    });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body).toSorted()).toEqual([
      'accessToken',
      'mpinSet',
      'refreshToken',
      'user',
    ]);
    expect(answer.body).toMatchObject({ mpinSet: true, user: { id: userId, mpinSet: true } });
    const me = await identity.as(String(answer.body['accessToken']))('GET', '/users/me');
    expect(me.body).toEqual(answer.body['user']);
    const sessions = await call('GET', '/auth/sessions');
    expect(sessions.body['items']).toMatchObject([
      { deviceId: 'tablet', deviceName: 'My tablet', current: false },
      { deviceId: 'phone', current: true },
    ]);
    const refreshed = await identity.as()('POST', '/auth/refresh', {
      refreshToken: answer.body['refreshToken'],
    });
    expect(refreshed.body['mpinSet']).toBe(true);
  });

  it('replaces the MPIN, and records an event and a notification each time', async ({
    identity,
  }) => {
    const { phone, userId, call } = await customerWithMpin(identity);
    expect(await noticesOf(identity, userId)).toEqual(['mpin_set']);
    await call('POST', '/auth/set-mpin', { mpin: '7391' });
    expect(
      codesOf([await login(identity, phone, rightMpin), await login(identity, phone, '7391')]),
    ).toEqual(['INVALID_CREDENTIALS', 'ok']);
    expect(
      (await noticesOf(identity, userId)).filter((type) => type === 'mpin_changed'),
    ).toHaveLength(1);
    expect((await eventsOf(identity, userId)).filter((kind) => kind === 'mpin_set')).toHaveLength(
      2,
    );
  });

  it.for([['482'], ['4829131'], ['48a9'], ['४८२९'], [4829], [''], [null], [' 4829']] as const)(
    'refuses %j as an MPIN',
    async ([mpin], { identity }) => {
      const { body } = await identity.signIn(newPhone());
      const answer = await identity.as(String(body['accessToken']))('POST', '/auth/set-mpin', {
        mpin,
      });
      expect(answer.status).toBe(400);
      expect(answer.body['error']).toMatchObject({ field: 'mpin' });
    },
  );

  it('stores only a sealed hash of the MPIN', async ({ identity }) => {
    const { userId } = await customerWithMpin(identity);
    const where = { id: userId };
    const { mpinHash } = await identity.database.db.user.findUniqueOrThrow({ where });
    expect(mpinHash).toMatch(/^v1\./u);
    expect(identity.logged()).not.toContain(rightMpin);
  });

  it('needs a session whose row is live, even if the revocation list is lost', async ({
    identity,
  }) => {
    const { userId, call } = await customerWithMpin(identity);
    await identity.database.db.session.updateMany({
      where: { userId },
      data: { revokedAt: clock.now(), revokedReason: 'revoked' },
    });
    const answers = [
      await call('POST', '/auth/set-mpin', { mpin: '7391' }),
      await call('POST', '/auth/biometric-token', {}),
    ];
    expect(codesOf(answers)).toEqual(['UNAUTHENTICATED', 'UNAUTHENTICATED']);
    expect(await eventsOf(identity, userId)).toEqual(['device_signed_in', 'mpin_set']);
  });
});

describe('a refused sign-in with an MPIN', () => {
  it('is the same for a wrong MPIN, an account without an MPIN and an unregistered phone', async ({
    identity,
  }) => {
    const { phone } = await customerWithMpin(identity);
    const without = newPhone();
    await identity.signIn(without);
    const answers = [
      await login(identity, phone, wrongMpin),
      await login(identity, without, wrongMpin),
      await login(identity, newPhone(), wrongMpin),
    ];
    const bodies = answers.map(({ body }) => {
      const { requestId: _requestId, ...error } = Object(body['error']);
      return error;
    });
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(bodies[0]).toMatchObject({ code: 'INVALID_CREDENTIALS' });
    expect(bodies).toEqual([bodies[0], bodies[0], bodies[0]]);
  });

  it('locks at the fifth try for 30 minutes, for the right MPIN and for an unregistered phone too', async ({
    identity,
  }) => {
    const { phone, userId } = await customerWithMpin(identity);
    for (const testedPhone of [phone, newPhone()]) {
      const answers: CallResponse[] = [];
      for (let n = 0; n < 5; n += 1) answers.push(await login(identity, testedPhone, wrongMpin));
      expect(new Set(codesOf(answers))).toEqual(new Set(['INVALID_CREDENTIALS']));
      const locked = await login(identity, testedPhone, rightMpin);
      expect([locked.status, errorCode(locked)]).toEqual([429, 'MPIN_LOCKED']);
    }
    expect(await eventsOf(identity, userId)).toEqual([
      'device_signed_in',
      'mpin_set',
      'sign_in_refused x6',
      'sign_in_locked',
    ]);
    clock.advance(30 * minuteMs - 1);
    expect(errorCode(await login(identity, phone, rightMpin))).toBe('MPIN_LOCKED');
    clock.advance(1);
    expect((await login(identity, phone, rightMpin)).status).toBe(200);
  });

  it('is judged exactly five times among 50 at once', async ({ identity }) => {
    const { phone } = await customerWithMpin(identity);
    for (const testedPhone of [phone, newPhone()]) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) => login(identity, testedPhone, String(1000 + n))),
      );
      const codes = codesOf(answers);
      expect(countOf(codes, 'INVALID_CREDENTIALS')).toBe(5);
      // The queue of checks was full for the others.
      expect(countOf(codes, 'MPIN_LOCKED') + countOf(codes, 'BUSY')).toBe(45);
      expect(errorCode(await login(identity, testedPhone, rightMpin))).toBe('MPIN_LOCKED');
    }
    clock.advance(30 * minuteMs);
    expect((await login(identity, phone, rightMpin)).status).toBe(200);
  });

  it('is not counted any more after a right MPIN', async ({ identity }) => {
    const { phone } = await customerWithMpin(identity);
    const signInAfterFourFailures = async (): Promise<string[]> => {
      const answers: CallResponse[] = [];
      for (let n = 0; n < 4; n += 1) answers.push(await login(identity, phone, wrongMpin));
      return codesOf([...answers, await login(identity, phone, rightMpin)]);
    };
    const refused = 'INVALID_CREDENTIALS';
    expect(await signInAfterFourFailures()).toEqual([refused, refused, refused, refused, 'ok']);
    expect(await signInAfterFourFailures()).toEqual([refused, refused, refused, refused, 'ok']);
  });

  it('reveals only to the owner that the account is blocked', async ({ identity }) => {
    const { phone, userId } = await customerWithMpin(identity);
    await identity.database.db.user.update({
      where: { id: userId },
      data: { blocked: true, blockedReason: 'fraud' },
    });
    expect(
      codesOf([await login(identity, phone, wrongMpin), await login(identity, phone, rightMpin)]),
    ).toEqual(['INVALID_CREDENTIALS', 'ACCOUNT_UNAVAILABLE']);
    expect(await eventsOf(identity, userId)).toEqual([
      'device_signed_in',
      'mpin_set',
      'sign_in_refused x2',
    ]);
  });

  it('leaves no count that can no longer cause a lock', async ({ identity }) => {
    const { db } = identity.database;
    await login(identity, newPhone(), wrongMpin);
    await runPurges(createIdentityPurges({ db, clock }));
    expect(await db.signInGuard.count()).toBeGreaterThan(0);
    clock.advance(61 * minuteMs);
    await runPurges(createIdentityPurges({ db, clock }));
    expect(await db.signInGuard.count()).toBe(0);
    expect(await db.addressRefusal.count()).toBe(0);
  });
});

it('a sign-in does not open a session if its MPIN is replaced during the check', async ({
  identity,
}) => {
  const { phone, userId, call } = await customerWithMpin(identity);
  const [locked, gate] = [createGate(), createGate()];
  const { db, inTransaction } = identity.database;
  // This locks the customer's row. The sign-in waits for the lock after it has checked the MPIN.
  const holding = inTransaction(async (tx) => {
    await tx.$queryRaw`SELECT id FROM app_user WHERE id = ${userId}::uuid FOR NO KEY UPDATE`;
    locked.open();
    await gate.opened;
  });
  await locked.opened;
  const waiting = async (count: number): Promise<void> => {
    await eventually(async () => {
      const rows = await db.$queryRaw<unknown[]>`
        SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      expect(rows).toHaveLength(count);
    });
  };
  const replacing = call('POST', '/auth/set-mpin', { mpin: '7391' });
  await waiting(1);
  const signingIn = login(identity, phone, rightMpin, { deviceId: 'thief' });
  await waiting(2);
  gate.open();
  await holding;
  expect((await replacing).status).toBe(200);
  expect(codesOf([await signingIn])).toEqual(['INVALID_CREDENTIALS']);
  expect(await db.session.count({ where: { userId, deviceId: 'thief' } })).toBe(0);
});
