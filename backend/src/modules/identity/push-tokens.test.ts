import { expect } from 'vitest';
import { identityTest } from '#test/support/identity-test.ts';
import type { OpenIdentity } from '#test/support/open-identity.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';
import { maxPushTokens } from './push-tokens.store.ts';

const clock = createManualClock();
const it = identityTest({ clock });

const path = '/users/me/push-tokens';
let phones = 0;
const signedIn = async (identity: OpenIdentity) => {
  phones += 1;
  const { body } = await identity.signIn(`+9197123${String(phones).padStart(5, '0')}`);
  return {
    userId: String(Object(body['user'])['id']),
    call: identity.as(String(body['accessToken'])),
  };
};
const tokensOf = async (identity: OpenIdentity, userId: string) => {
  const rows = await identity.database.db.pushToken.findMany({ where: { userId } });
  return rows.map(({ token }) => token);
};

it('a push token is registered and removed by its account', async ({ identity }) => {
  const { userId, call } = await signedIn(identity);
  const token = 'dGVzdA:APA91b/with+signs=and~more';
  const registered = await call('POST', path, { token, platform: 'android' });
  expect(registered).toMatchObject({ status: 201, body: { token, platform: 'android' } });
  expect(await tokensOf(identity, userId)).toEqual([token]);
  const own = `${path}/${encodeURIComponent(token)}`;
  expect((await call('DELETE', own)).status).toBe(204);
  expect((await call('DELETE', own)).status).toBe(404);
  expect(await tokensOf(identity, userId)).toEqual([]);
});

it('a push token belongs to the last account that registered it, and no other can remove it', async ({
  identity,
}) => {
  const [first, second] = [await signedIn(identity), await signedIn(identity)];
  const body = { token: 'shared-device', platform: 'ios' };
  await first.call('POST', path, body);
  expect((await second.call('POST', path, { ...body, platform: 'web' })).status).toBe(201);
  expect(await tokensOf(identity, first.userId)).toEqual([]);
  expect((await first.call('DELETE', `${path}/shared-device`)).status).toBe(404);
  expect(await tokensOf(identity, second.userId)).toEqual(['shared-device']);
});

it('a push token removes the one registered longest ago if an account has too many', async ({
  identity,
}) => {
  const { userId, call } = await signedIn(identity);
  for (let number = 0; number < maxPushTokens; number += 1) {
    await call('POST', path, { token: `token-${number}`, platform: 'ios' });
    clock.advance(1000);
  }
  // The token is registered again, so it is the newest.
  await call('POST', path, { token: 'token-0', platform: 'ios' });
  clock.advance(1000);
  await Promise.all(
    ['a', 'b'].map((end) => call('POST', path, { token: `more-${end}`, platform: 'ios' })),
  );
  const kept = await tokensOf(identity, userId);
  expect(kept).toHaveLength(maxPushTokens);
  expect(kept).toEqual(expect.arrayContaining(['token-0', 'more-a', 'more-b']));
  expect(kept).not.toContain('token-1');
  expect(kept).not.toContain('token-2');
});

it.for([{ platform: 'ios' }, { token: '', platform: 'ios' }, { token: 'x', platform: 'tv' }])(
  'is refused as %j',
  async (body, { identity }) => {
    const { call } = await signedIn(identity);
    expect((await call('POST', path, body)).status).toBe(400);
  },
);
