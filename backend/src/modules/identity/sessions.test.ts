import { describe, expect } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { identityTest, newPhone } from '#test/support/identity-test.ts';
import { errorCode } from '#test/support/open-identity.ts';
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
import { hashToken } from '../../platform/crypto/index.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const real = createSystemClock();
const moved = { byMs: 0, byMsPerRead: 0 };
/** Runs like real time, since it decides which request came first, and can be moved. */
const clock = {
  now: () => {
    moved.byMs += moved.byMsPerRead;
    return addMs(real.now(), moved.byMs);
  },
};

const it = identityTest({ clock });

/** The second at which an access token was issued. */
const issuedAt = ({ accessToken }: Tokens): number => {
  const [, payload = ''] = accessToken.split('.');
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { iat: number }).iat;
};
/** Runs `work` while 5 s pass at every read of the clock. */
const slowly = async (work: () => Promise<CallResponse>): Promise<Tokens> => {
  moved.byMsPerRead = 5000;
  const answer = await work();
  moved.byMsPerRead = 0;
  return tokensOf(answer);
};

describe('access tokens', () => {
  it('carry the subject, the phone, the device, and the session as jti, for 15 minutes', async ({
    identity,
  }) => {
    const phone = newPhone();
    const tokens = await signIn(identity, phone, { deviceId: 'phone-1' });
    const [, payload = ''] = tokens.accessToken.split('.');
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const [session] = await sessionsOf(identity, tokens);
    const { exp, iat } = claims as { exp: number; iat: number }; // what the test is about
    expect(claims).toMatchObject({ phone, deviceId: 'phone-1', jti: session?.id });
    expect(exp - iat).toBe(900);
    moved.byMs += 14 * minuteMs;
    expect(await me(identity, tokens.accessToken)).toBe(200);
    moved.byMs += minuteMs;
    expect(await me(identity, tokens.accessToken)).toBe(401);
  });

  it('are issued at the time of their session, even if they are signed later', async ({
    identity,
  }) => {
    const phone = newPhone();
    const usedAt = async (): Promise<number> => {
      const where = { user: { phone }, revokedAt: null };
      const session = await identity.database.db.session.findFirstOrThrow({ where });
      return Math.floor(session.lastUsedAt.getTime() / 1000);
    };
    const signedIn = await slowly(() => identity.signIn(phone));
    expect(issuedAt(signedIn)).toBe(await usedAt());
    const refreshed = await slowly(() => refresh(identity, signedIn.refreshToken));
    expect(issuedAt(refreshed)).toBe(await usedAt());
  });

  it.for([
    ['none', ''],
    ['rubbish', 'rubbish'],
    ['an unsigned one', `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`],
  ] as const)('are refused when there is %s', async ([_name, token], { identity }) => {
    expect(await me(identity, token)).toBe(401);
  });

  it('of an operator are refused, although they are signed with the same secret', async ({
    identity,
  }) => {
    const sub = '01890000-0000-7000-8000-000000000000';
    const operator = { sub, email: 'a@example.com', role: 'SUPER_ADMIN' };
    expect(await me(identity, identity.tokens.sign(operator, 900))).toBe(401);
    const posing = { ...operator, phone: '+919876543210', deviceId: 'x', jti: sub };
    expect(await me(identity, identity.tokens.sign(posing, 900))).toBe(401);
  });

  it('are refused once the customer is blocked or deleted, whatever the cache says', async ({
    identity,
  }) => {
    const [blocked, deleted] = [newPhone(), newPhone()];
    const [first, second] = [await signIn(identity, blocked), await signIn(identity, deleted)];
    const { db } = identity.database;
    const block = { blocked: true, blockedReason: 'fraud' };
    await db.user.updateMany({ where: { phone: blocked }, data: block });
    const tombstone = { phone: null, phoneHash: null, deletedAt: clock.now() };
    await db.user.updateMany({ where: { phone: deleted }, data: tombstone });
    for (const { accessToken, refreshToken } of [first, second]) {
      expect(await me(identity, accessToken)).toBe(401);
      expect(errorCode(await refresh(identity, refreshToken))).toBe('ACCOUNT_UNAVAILABLE');
    }
    await db.user.updateMany({ where: { phone: blocked }, data: { blocked: false } });
    expect((await refresh(identity, first.refreshToken)).status).toBe(200);
  });
});

describe('POST /auth/refresh', () => {
  it('exchanges the token for a new pair of the same session', async ({ identity }) => {
    const tokens = await signIn(identity, newPhone(), { deviceId: 'd', deviceName: 'My phone' });
    const answer = await refresh(identity, tokens.refreshToken);
    const next = tokensOf(answer);
    expect(answer.body).toMatchObject({ mpinSet: false, user: { kycStatus: 'PENDING' } });
    expect(Object.keys(answer.body).toSorted()).toEqual([
      'accessToken',
      'mpinSet',
      'refreshToken',
      'user',
    ]);
    expect(next.refreshToken).not.toBe(tokens.refreshToken);
    expect(await me(identity, next.accessToken)).toBe(200);
    expect(await sessionsOf(identity, next)).toEqual([
      expect.objectContaining({ deviceId: 'd', deviceName: 'My phone', current: true }),
    ]);
  });

  it('stores a hash of the token and not the token', async ({ identity }) => {
    const { refreshToken } = await signIn(identity, newPhone());
    const where = { refreshTokenHash: hashToken(refreshToken) };
    const row = await identity.database.db.session.findFirstOrThrow({ where });
    expect(JSON.stringify(row)).not.toContain(refreshToken);
    expect(identity.logged()).not.toContain(refreshToken);
  });

  it('ends the whole family if the token was used before', async ({ identity }) => {
    const first = await signIn(identity, newPhone());
    const second = tokensOf(await refresh(identity, first.refreshToken));
    const third = tokensOf(await refresh(identity, second.refreshToken));
    expect(await me(identity, third.accessToken)).toBe(200);
    const again = await refresh(identity, first.refreshToken);
    expect(again.status).toBe(401);
    expect(errorCode(again)).toBe('INVALID_REFRESH_TOKEN');
    for (const { accessToken, refreshToken } of [first, second, third]) {
      expect(await me(identity, accessToken)).toBe(401);
      expect((await refresh(identity, refreshToken)).status).toBe(401);
    }
  });

  it('accepts one of twenty parallel requests, and at most one that came after it', async ({
    identity,
  }) => {
    const { refreshToken } = await signIn(identity, newPhone());
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => refresh(identity, refreshToken)),
    );
    const won = answers.filter(({ status }) => status === 200).length;
    expect([1, 2]).toContain(won);
    expect(answers.filter((one) => errorCode(one) === 'INVALID_REFRESH_TOKEN')).toHaveLength(
      20 - won,
    );
  });

  it('answers once more within 30 s if the response was lost, and ends the earlier tokens', async ({
    identity,
  }) => {
    const { refreshToken } = await signIn(identity, newPhone());
    const lost = tokensOf(await refresh(identity, refreshToken));
    moved.byMs += 29_000;
    const again = tokensOf(await refresh(identity, refreshToken));
    expect(await me(identity, again.accessToken)).toBe(200);
    const next = tokensOf(await refresh(identity, again.refreshToken));
    expect(await me(identity, next.accessToken)).toBe(200);
    expect((await refresh(identity, lost.refreshToken)).status).toBe(401);
    expect(await me(identity, next.accessToken)).toBe(401);
  });

  it.for([
    ['a third time', 0, 'again'],
    ['after 30 s', 30_000, 'once'],
    ['after its successor was used', 0, 'successor'],
  ] as const)(
    'ends the family when a token is presented %s',
    async ([_when, byMs, how], { identity }) => {
      const { refreshToken } = await signIn(identity, newPhone());
      let tokens = tokensOf(await refresh(identity, refreshToken));
      if (how === 'again') tokens = tokensOf(await refresh(identity, refreshToken));
      if (how === 'successor') tokens = tokensOf(await refresh(identity, tokens.refreshToken));
      moved.byMs += byMs;
      expect((await refresh(identity, refreshToken)).status).toBe(401);
      expect(await me(identity, tokens.accessToken)).toBe(401);
    },
  );

  it("keeps the winner's session if the other requests were already in progress", async ({
    identity,
  }) => {
    const { refreshToken } = await signIn(identity, newPhone());
    const { db, inTransaction } = identity.database;
    const waiting = async () => {
      const [row] = await db.$queryRaw<{ count: number }[]>`
        SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return row?.count;
    };
    const held = await inTransaction(async (tx) => {
      await tx.$queryRaw`
        SELECT id FROM session WHERE refresh_token_hash = ${hashToken(refreshToken)} FOR UPDATE`;
      const requests = Array.from({ length: 5 }, () => refresh(identity, refreshToken));
      await eventually(async () => (await waiting()) === 5);
      return requests;
    });
    const answers = await Promise.all(held);
    const [winner, ...others] = answers.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    const tokens = tokensOf(winner ?? { status: 0, body: {}, text: '' });
    expect(await me(identity, tokens.accessToken)).toBe(200);
    expect((await refresh(identity, tokens.refreshToken)).status).toBe(200);
    expect((await refresh(identity, refreshToken)).status).toBe(401);
    expect(await me(identity, tokens.accessToken)).toBe(401);
  });

  it('continues for as long as each token is used within its 30 days', async ({ identity }) => {
    let { refreshToken } = await signIn(identity, newPhone());
    for (let months = 1; months <= 2; months += 1) {
      moved.byMs += 30 * dayMs - minuteMs;
      ({ refreshToken } = tokensOf(await refresh(identity, refreshToken)));
    }
    moved.byMs += 30 * dayMs;
    expect(errorCode(await refresh(identity, refreshToken))).toBe('INVALID_REFRESH_TOKEN');
  });

  it.for([[undefined], [''], [7], [null], [{}], ['x'.repeat(257)], ['a\u0000b']] as const)(
    'refuses %j as a token with 400',
    async ([refreshToken], { identity }) => {
      const answer = await identity.as()('POST', '/auth/refresh', { refreshToken });
      expect(answer.status).toBe(400);
      expect(answer.body['error']).toMatchObject({ field: 'refreshToken' });
    },
  );

  it('ends after 180 days with its tokens, however often it is used', async ({ identity }) => {
    const phone = newPhone();
    const device = { deviceId: 'old-phone' };
    let tokens = await signIn(identity, phone, device);
    const startedAt = clock.now();
    const endsAt = addMs(startedAt, 180 * dayMs);
    for (let refreshes = 0; refreshes < 7; refreshes += 1) {
      moved.byMs += 25 * dayMs;
      tokens = tokensOf(await refresh(identity, tokens.refreshToken));
    }
    const listed = await identity.as(tokens.accessToken)('GET', '/auth/sessions');
    const [{ expiresAt = '' } = {}] = listed.body['items'] as { expiresAt?: string }[]; // its view
    expect(Math.abs(Date.parse(expiresAt) - endsAt.getTime())).toBeLessThan(minuteMs);

    moved.byMs += 5 * dayMs - 5 * minuteMs;
    tokens = tokensOf(await refresh(identity, tokens.refreshToken));
    const [, payload = ''] = tokens.accessToken.split('.');
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number };
    expect(exp * 1000).toBeLessThanOrEqual(Date.parse(expiresAt));
    expect(await me(identity, tokens.accessToken)).toBe(200);

    moved.byMs += 6 * minuteMs;
    expect(await me(identity, tokens.accessToken)).toBe(401);
    expect(await refresh(identity, tokens.refreshToken)).toMatchObject({ status: 401 });
    expect(await me(identity, (await signIn(identity, phone, device)).accessToken)).toBe(200);
  });

  it('answers 401 to an unknown token', async ({ identity }) => {
    expect(errorCode(await refresh(identity, 'A'.repeat(43)))).toBe('INVALID_REFRESH_TOKEN');
  });
});
