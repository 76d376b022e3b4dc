import { describe, expect } from 'vitest';
import { identityTest, newPhone } from '#test/support/identity-test.ts';
import { errorCode, type OpenIdentity } from '#test/support/open-identity.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { createManualClock } from '../../platform/clock/manual-clock.ts';
import { createRandom } from '../../platform/ids/random.ts';
import { referralAlphabet } from './create-user.ts';

const clock = createManualClock();
const dayMs = 24 * 60 * 60_000;
const fixed: { int: number | undefined } = { int: undefined };
const random = createRandom();
const it = identityTest({
  clock,
  random: { ...random, int: (below) => fixed.int ?? random.int(below) },
});

const asOwner = ({ migrateUrl }: OpenIdentity, statement: string) =>
  withConnection(migrateUrl, (client) => client.query(statement));
const signIn = (identity: OpenIdentity, phone: string) => identity.signIn(phone);
const usersOf = (identity: OpenIdentity, phone: string) =>
  identity.database.db.user.findMany({ where: { phone } });
const idOf = async (identity: OpenIdentity, phone: string): Promise<string> =>
  (await usersOf(identity, phone))[0]?.id ?? '';

describe('the first sign-in of a phone', () => {
  it('creates the customer and signs them in', async ({ identity }) => {
    const phone = newPhone();
    const answer = await signIn(identity, phone);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      accessToken: expect.any(String),
      refreshToken: expect.stringMatching(/^[\w-]{43}$/),
      user: {
        id: await idOf(identity, phone),
        phone,
        full_name: null,
        email: null,
        referralCode: expect.stringMatching(new RegExp(`^[${referralAlphabet}]{8}$`)),
        kycStatus: 'PENDING',
        mpinSet: false,
        createdAt: clock.now().toISOString(),
      },
      isNewUser: true,
      mpinSet: false,
    });
  });

  it('creates the holding and the data key of the customer', async ({ identity }) => {
    const phone = newPhone();
    await signIn(identity, phone);
    const userId = await idOf(identity, phone);
    const { db } = identity.database;
    expect(await db.holding.count({ where: { userId } })).toBe(1);
    expect(await db.userDataKey.count({ where: { userId } })).toBe(1);
  });

  it('happens once, and later sign-ins find the same customer', async ({ identity }) => {
    const phone = newPhone();
    const first = await signIn(identity, phone);
    const second = await signIn(identity, phone.slice(3));
    expect(second.body['isNewUser']).toBe(false);
    expect(second.body['user']).toEqual(first.body['user']);
  });

  it('creates one customer even by parallel requests', async ({ identity }) => {
    const phone = newPhone();
    const otp = await identity.sentCode(phone);
    const attempt = () => identity.as()('POST', '/auth/verify-otp', { phone, otp });
    const answer = await Promise.all([
      ...Array.from({ length: 10 }, attempt),
      identity.sentCode(phone),
    ]);
    expect(answer).toHaveLength(11);
    await signIn(identity, phone);
    expect(await usersOf(identity, phone)).toHaveLength(1);
  });

  it('writes nothing if any part of it fails, and the code can be used again', async ({
    identity,
  }) => {
    const phone = newPhone();
    const otp = await identity.sentCode(phone);
    // The holding is the last part.
    await asOwner(identity, 'ALTER TABLE holding ADD CONSTRAINT broken CHECK (false) NOT VALID');
    const failed = await identity.as()('POST', '/auth/verify-otp', { phone, otp });
    await asOwner(identity, 'ALTER TABLE holding DROP CONSTRAINT broken');
    expect(failed.status).toBe(500);
    expect(await usersOf(identity, phone)).toHaveLength(0);
    const answer = await identity.as()('POST', '/auth/verify-otp', { phone, otp });
    expect(answer.body['isNewUser']).toBe(true);
  });

  it('makes another referral code if one is taken', async ({ identity }) => {
    fixed.int = 3;
    const first = await signIn(identity, newPhone());
    const phone = newPhone();
    const otp = await identity.sentCode(phone);
    const answer = identity.as()('POST', '/auth/verify-otp', { phone, otp });
    expect((await answer).status).toBe(500);
    fixed.int = undefined;
    const again = await identity.as()('POST', '/auth/verify-otp', { phone, otp });
    expect(again.status).toBe(200);
    expect(first.body['user']).toMatchObject({ referralCode: 'DDDDDDDD' });
    expect(again.body['user']).not.toMatchObject({ referralCode: 'DDDDDDDD' });
  });
});

describe('an account that may not be used', () => {
  it('answers 401 to the right code of a blocked customer, who still gets codes', async ({
    identity,
  }) => {
    const phone = newPhone();
    await signIn(identity, phone);
    const data = { blocked: true, blockedReason: 'fraud' };
    await identity.database.db.user.updateMany({ where: { phone }, data });
    const answer = await signIn(identity, phone);
    expect(answer.status).toBe(401);
    expect(errorCode(answer)).toBe('ACCOUNT_UNAVAILABLE');
    expect(answer.body['accessToken']).toBeUndefined();
  });

  it('is not revealed to a client without the code', async ({ identity }) => {
    const phone = newPhone();
    await signIn(identity, phone);
    const data = { blocked: true, blockedReason: 'fraud' };
    await identity.database.db.user.updateMany({ where: { phone }, data });
    const answer = await identity.as()('POST', '/auth/verify-otp', { phone, otp: '000000' });
    expect(errorCode(answer)).toBe('INVALID_OTP');
  });

  it("answers 401 during the cool-down of a deleted account's phone, and opens a new one later", async ({
    identity,
  }) => {
    const phone = newPhone();
    await signIn(identity, phone);
    const { db } = identity.database;
    const [old] = await usersOf(identity, phone);
    await db.user.update({
      where: { id: old?.id ?? '' },
      data: { phone: null, phoneHash: null, deletedAt: clock.now() },
    });
    const until = addMs(clock.now(), 30 * dayMs);
    await db.deletedPhone.create({ data: { phoneHash: old?.phoneHash ?? '', until } });
    expect(errorCode(await signIn(identity, phone))).toBe('ACCOUNT_UNAVAILABLE');
    expect(await usersOf(identity, phone)).toHaveLength(0);
    clock.set(until);
    const answer = await signIn(identity, phone);
    expect(answer.body['isNewUser']).toBe(true);
    expect(await idOf(identity, phone)).not.toBe(old?.id);
  });
});

describe('GET /users/me', () => {
  it("returns the caller's profile", async ({ identity }) => {
    const { body } = await signIn(identity, newPhone());
    const me = await identity.as(String(body['accessToken']))('GET', '/users/me');
    expect(me.status).toBe(200);
    expect(me.body).toEqual(body['user']);
  });

  it('answers 401 without a token', async ({ identity }) => {
    const me = await identity.as()('GET', '/users/me');
    expect(me.status).toBe(401);
    expect(errorCode(me)).toBe('UNAUTHENTICATED');
  });
});

describe('PATCH /users/me', () => {
  it('changes only the given fields', async ({ identity }) => {
    const { body } = await signIn(identity, newPhone());
    const me = identity.as(String(body['accessToken']));
    const named = await me('PATCH', '/users/me', { full_name: ' Asha Rao ' });
    expect([named.status, named.body['full_name'], named.body['email']]).toEqual([
      200,
      'Asha Rao',
      null,
    ]);
    const mailed = await me('PATCH', '/users/me', { email: 'Asha@Example.test', phone: '+91' });
    expect(mailed.body).toEqual({ ...named.body, email: 'asha@example.test' });
    expect((await me('GET', '/users/me')).body).toEqual(mailed.body);
    expect((await me('PATCH', '/users/me', {})).body).toEqual(mailed.body);
  });

  it('keeps the letters of a name and makes runs of blanks single', async ({ identity }) => {
    const { body } = await signIn(identity, newPhone());
    const me = identity.as(String(body['accessToken']));
    const malayalam = '\u0d1c\u0d4b\u0d28\u0d4d\u200d';
    expect((await me('PATCH', '/users/me', { full_name: malayalam })).body['full_name']).toBe(
      malayalam,
    );
    const blanks = await me('PATCH', '/users/me', { full_name: 'Asha \u00a0  Rao' });
    expect(blanks.body['full_name']).toBe('Asha Rao');
  });

  it.for(['asha@example.xn--h2brj9c', 'Asha@Example.भारत'])(
    'accepts the international address %s',
    async (email, { identity }) => {
      const { body } = await signIn(identity, newPhone());
      const answer = await identity.as(String(body['accessToken']))('PATCH', '/users/me', {
        email,
      });
      expect(answer).toMatchObject({ status: 200, body: { email: 'asha@example.xn--h2brj9c' } });
    },
  );

  it.for([
    { full_name: '' },
    { full_name: '   ' },
    { full_name: 'x'.repeat(101) },
    { full_name: 7 },
    { full_name: '\u200b\u200b' },
    { full_name: 'Asha\u202eoaR' },
    { full_name: '12345' },
    { email: 'nobody' },
    { email: `${'x'.repeat(250)}@example.test` },
  ])('refuses %j with the field', async (bad, { identity }) => {
    const { body } = await signIn(identity, newPhone());
    const answer = await identity.as(String(body['accessToken']))('PATCH', '/users/me', bad);
    expect([answer.status, errorCode(answer)]).toEqual([400, 'VALIDATION_FAILED']);
    expect(JSON.stringify(answer.body)).toContain(Object.keys(bad)[0]);
  });
});
