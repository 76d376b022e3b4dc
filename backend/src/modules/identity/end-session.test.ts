import { describe, expect, test } from 'vitest';
import { openCuttableServer } from '#test/support/cuttable-server.ts';
import { eventually } from '#test/support/eventually.ts';
import { freshDatabase } from '#test/support/fresh-database.ts';
import { newPhone } from '#test/support/identity-test.ts';
import { errorCode, type OpenIdentity, openIdentity } from '#test/support/open-identity.ts';
import { openedOnce } from '#test/support/opened-once.ts';
import { runPurges } from '#test/support/run-purges.ts';
import {
  me,
  refresh,
  sessionsOf,
  signIn,
  tokensOf,
  type Tokens,
} from '#test/support/session-calls.ts';
import type { CallResponse } from '../../apps/sandbox/testing/open-sandbox.ts';
import { addMs, createSystemClock } from '../../platform/clock/clock.ts';
import { createIdentityPurges, createSessionPurges } from './identity.sweeps.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const real = createSystemClock();
const moved = { byMs: 0 };
/** Runs like real time, since it decides which request came first, and can be moved. */
const clock = { now: () => addMs(real.now(), moved.byMs) };

/** Opens the module with a Redis connection that a test can cut. */
const open = async () => {
  const addresses = await freshDatabase();
  const redis = await openCuttableServer(addresses.redisUrl);
  const identity = await openIdentity({ clock, redisUrl: redis.url });
  const close = async (): Promise<void> => {
    await identity.close();
    await redis.close();
    await addresses.drop();
  };
  return { ...identity, redis, close };
};
const it = test.extend('identity', { scope: 'file' }, openedOnce(open));

const logout = (identity: OpenIdentity, by: Tokens, refreshToken: string): Promise<CallResponse> =>
  identity.as(by.accessToken)('POST', '/auth/logout', { refreshToken });

describe('a device', () => {
  it('has one session, which a new sign-in replaces', async ({ identity }) => {
    const phone = newPhone();
    const old = await signIn(identity, phone, { deviceId: 'tablet' });
    const other = await signIn(identity, phone, { deviceId: 'phone' });
    const fresh = await signIn(identity, phone, { deviceId: 'tablet' });
    expect(await me(identity, old.accessToken)).toBe(401);
    expect(errorCode(await refresh(identity, old.refreshToken))).toBe('INVALID_REFRESH_TOKEN');
    expect(await me(identity, fresh.accessToken)).toBe(200);
    expect(await me(identity, other.accessToken)).toBe(200);
    const devices = (await sessionsOf(identity, fresh)).map(({ deviceId }) => deviceId);
    expect(devices).toEqual(['tablet', 'phone']);
  });

  it('of one customer is not affected by a device of another customer with the same name', async ({
    identity,
  }) => {
    const first = await signIn(identity, newPhone(), { deviceId: 'shared' });
    const second = await signIn(identity, newPhone(), { deviceId: 'shared' });
    expect(await me(identity, first.accessToken)).toBe(200);
    expect(await sessionsOf(identity, second)).toHaveLength(1);
  });

  it('without an id gets a new id at each sign-in', async ({ identity }) => {
    const phone = newPhone();
    await signIn(identity, phone);
    const ids = (await sessionsOf(identity, await signIn(identity, phone))).map(
      ({ deviceId }) => deviceId,
    );
    expect(new Set(ids).size).toBe(2);
  });
});

describe('GET /auth/sessions', () => {
  it('lists live sessions in pages, newest first, and marks the current one', async ({
    identity,
  }) => {
    const phone = newPhone();
    await signIn(identity, phone, { deviceId: 'a' });
    await signIn(identity, phone, { deviceId: 'b' });
    const tokens = await signIn(identity, phone, { deviceId: 'c', deviceName: 'C' });
    const answer = await identity.as(tokens.accessToken)('GET', '/auth/sessions?limit=2');
    expect(answer.body).toMatchObject({ total: 3, page: 1, limit: 2 });
    expect(answer.body['items']).toMatchObject([
      { deviceId: 'c', deviceName: 'C', current: true },
      { deviceId: 'b', deviceName: null, current: false },
    ]);
    expect(JSON.stringify(answer.body)).not.toMatch(/hash|token/i);
    expect(await sessionsOf(identity, tokens, '?limit=2&page=2')).toMatchObject([
      { deviceId: 'a' },
    ]);
    const bad = await identity.as(tokens.accessToken)('GET', '/auth/sessions?limit=101');
    expect(bad.status).toBe(400);
  });

  it('leaves out expired sessions', async ({ identity }) => {
    const phone = newPhone();
    await signIn(identity, phone, { deviceId: 'old' });
    moved.byMs += 31 * dayMs;
    expect(
      await sessionsOf(identity, await signIn(identity, phone, { deviceId: 'new' })),
    ).toHaveLength(1);
  });
});

describe('DELETE /auth/sessions/:id', () => {
  it('ends that session at once, with its biometric token, and no other', async ({ identity }) => {
    const phone = newPhone();
    const [lost, kept] = [
      await signIn(identity, phone, { deviceId: 'lost' }),
      await signIn(identity, phone, { deviceId: 'kept' }),
    ];
    const session = (await sessionsOf(identity, kept)).find(({ deviceId }) => deviceId === 'lost');
    const { db } = identity.database;
    const { id: userId } = await db.user.findFirstOrThrow({ where: { phone } });
    const at = clock.now();
    for (const [id, deviceId] of [
      ['01890000-0000-7000-8000-000000000001', 'lost'],
      ['01890000-0000-7000-8000-000000000002', 'kept'],
    ] as const) {
      await db.biometricToken.create({
        data: { id, userId, deviceId, tokenHash: id, createdAt: at },
      });
    }
    const answer = await identity.as(kept.accessToken)('DELETE', `/auth/sessions/${session?.id}`);
    expect(answer.status).toBe(204);
    expect(await me(identity, lost.accessToken)).toBe(401);
    expect((await refresh(identity, lost.refreshToken)).status).toBe(401);
    expect(await me(identity, kept.accessToken)).toBe(200);
    const live = await db.biometricToken.findMany({ where: { userId, revokedAt: null } });
    expect(live.map(({ deviceId }) => deviceId)).toEqual(['kept']);
    const again = await identity.as(kept.accessToken)('DELETE', `/auth/sessions/${session?.id}`);
    expect(again.status).toBe(404);
  });

  it("answers 404 for another customer's session, an unknown id and an invalid id", async ({
    identity,
  }) => {
    const [mine, other] = [await signIn(identity, newPhone()), await signIn(identity, newPhone())];
    const [theirs] = await sessionsOf(identity, other);
    const unknown = '01890000-0000-7000-8000-000000000009';
    for (const id of [theirs?.id, unknown, 'rubbish']) {
      const answer = await identity.as(mine.accessToken)('DELETE', `/auth/sessions/${id}`);
      expect(answer.status).toBe(404);
    }
    expect(await me(identity, other.accessToken)).toBe(200);
  });
});

describe('POST /auth/logout', () => {
  it('ends the session of the refresh token at once', async ({ identity }) => {
    const tokens = await signIn(identity, newPhone());
    expect((await logout(identity, tokens, tokens.refreshToken)).status).toBe(204);
    expect(await me(identity, tokens.accessToken)).toBe(401);
    expect((await refresh(identity, tokens.refreshToken)).status).toBe(401);
  });

  it('ends the session of a token that has been exchanged', async ({ identity }) => {
    const tokens = await signIn(identity, newPhone());
    const next = tokensOf(await refresh(identity, tokens.refreshToken));
    expect((await logout(identity, next, tokens.refreshToken)).status).toBe(204);
    expect(await me(identity, next.accessToken)).toBe(401);
  });

  it('ends another session of the caller, with the same response the second time', async ({
    identity,
  }) => {
    const phone = newPhone();
    const [one, two] = [await signIn(identity, phone), await signIn(identity, phone)];
    expect((await logout(identity, two, one.refreshToken)).status).toBe(204);
    expect((await logout(identity, two, one.refreshToken)).status).toBe(204);
    expect(await me(identity, one.accessToken)).toBe(401);
    expect(await me(identity, two.accessToken)).toBe(200);
  });

  it("answers 404 for another customer's token, which stays valid, and for an unknown token", async ({
    identity,
  }) => {
    const [mine, other] = [await signIn(identity, newPhone()), await signIn(identity, newPhone())];
    expect((await logout(identity, mine, other.refreshToken)).status).toBe(404);
    expect((await logout(identity, mine, 'A'.repeat(43))).status).toBe(404);
    expect((await refresh(identity, other.refreshToken)).status).toBe(200);
  });

  it('needs an access token', async ({ identity }) => {
    const { refreshToken } = await signIn(identity, newPhone());
    const answer = await identity.as()('POST', '/auth/logout', { refreshToken });
    expect(answer.status).toBe(401);
  });
});

describe('with the cache down', () => {
  it('customers sign in, refresh and sign out, but an ended session stays valid until its expiry', async ({
    identity,
  }) => {
    const [phone, blocked] = [newPhone(), newPhone()];
    const [ended, theirs] = [await signIn(identity, phone), await signIn(identity, blocked)];
    await identity.redis.cut();
    const tokens = await signIn(identity, phone);
    expect((await refresh(identity, tokens.refreshToken)).status).toBe(200);
    expect((await logout(identity, ended, ended.refreshToken)).status).toBe(204);
    expect(await me(identity, ended.accessToken)).toBe(200);
    expect((await refresh(identity, ended.refreshToken)).status).toBe(401);
    const data = { blocked: true, blockedReason: 'fraud' };
    await identity.database.db.user.updateMany({ where: { phone: blocked }, data });
    expect(await me(identity, theirs.accessToken)).toBe(401);
    await identity.redis.restore();
    await eventually(async () => {
      moved.byMs += 16 * minuteMs;
      const first = await signIn(identity, phone, { deviceId: 'd' });
      await signIn(identity, phone, { deviceId: 'd' });
      expect(await me(identity, first.accessToken)).toBe(401);
    });
  });
});

it('the service purges only rows that have no more effect', async ({ identity }) => {
  const phone = newPhone();
  const kept = await signIn(identity, phone, { deviceId: 'kept' });
  const next = tokensOf(await refresh(identity, kept.refreshToken));
  const { db } = identity.database;
  const before = await db.session.count();
  const purge = () =>
    runPurges([...createIdentityPurges({ db, clock }), ...createSessionPurges({ db, clock })]);
  await purge();
  moved.byMs += 31_000;
  expect((await refresh(identity, kept.refreshToken)).status).toBe(401);
  expect(await me(identity, next.accessToken)).toBe(401);
  // Until then a session is kept whose device could sign in by its biometric token.
  moved.byMs += 181 * dayMs;
  await purge();
  expect(before).toBeGreaterThan(0);
  expect(await db.session.count()).toBe(0);
  expect(await db.otpCode.count()).toBe(0);
  expect(await db.otpSend.count()).toBe(0);
  expect(await db.otpGuard.count()).toBe(0);
  expect(await db.usedRefreshToken.count()).toBe(0);
});
