import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyedRenewal } from '../../src/apps/worker/create-key-sweeps.ts';
import { addSeconds } from '../../src/platform/clock/clock.ts';
import { createNumbers } from '#test/support/factories.ts';
import { otherCode } from '#test/support/session-calls.ts';
import { openFleet } from './open-replicas.ts';

let fleet: Awaited<ReturnType<typeof openFleet>>;
let numbers: ReturnType<typeof createNumbers>;

beforeAll(async () => {
  fleet = await openFleet();
  numbers = createNumbers(fleet.system.random);
});

afterAll(async () => fleet.close());

const signUp = async (replica: typeof fleet.before, phone: string) =>
  replica.verify(phone, await replica.send(phone));

describe('the secret of the tokens', () => {
  it('rotates without signing a customer out', async () => {
    const { before, prepared, rotating, after } = fleet;
    const customer = await before.make.customer();
    const me = async (replica: typeof before, token: string) =>
      (await replica.customer(token)('GET', '/users/me')).status;
    expect(await me(prepared, customer.token)).toBe(200);
    expect(await me(rotating, customer.token)).toBe(200);
    expect(await me(after, customer.token)).toBe(401);
    const { body } = await signUp(rotating, numbers.phone());
    const fresh = String(body['accessToken']);
    expect([await me(prepared, fresh), await me(after, fresh)]).toEqual([200, 200]);
  });

  it('rotates without signing an operator out', async () => {
    const { before, rotating } = fleet;
    const { token } = await before.make.admin();
    expect(await rotating.admin(token)('POST', '/auth/logout')).toMatchObject({ status: 204 });
  });
});

describe('the pepper', () => {
  it('rotates without making a password void', async () => {
    const { before, prepared, rotating } = fleet;
    const { email, password } = await before.make.admin();
    const portal = await before.make.portalUser();
    for (const replica of [before, prepared, rotating]) {
      const signIn = await replica.admin()('POST', '/auth/login', { email, password });
      expect(signIn).toMatchObject({ status: 200 });
      const wrong = { email, password: `${password}!` };
      expect(await replica.admin()('POST', '/auth/login', wrong)).toMatchObject({ status: 401 });
      const { email: portalEmail, password: portalPassword } = portal;
      const portalSignIn = { email: portalEmail, password: portalPassword };
      expect(await replica.portal('POST', '/auth/login', portalSignIn)).toMatchObject({
        status: 200,
      });
    }
  });

  it('takes the new one for a new password', async () => {
    const { rotating, after, before } = fleet;
    const { email, password } = await rotating.make.admin();
    const signIn = (replica: typeof before) =>
      replica.admin()('POST', '/auth/login', { email, password });
    expect(await signIn(after)).toMatchObject({ status: 200 });
    expect(await signIn(before)).toMatchObject({ status: 401 });
  });
});

describe('a code by SMS', () => {
  it.each([
    ['before the new keys are known', 'before', 'prepared'],
    ['before the new keys are first', 'prepared', 'rotating'],
    ['by a replica that is behind', 'rotating', 'prepared'],
  ] as const)('opens a session although it was sent %s', async (_name, sender, judge) => {
    const phone = numbers.phone();
    const otp = await fleet[sender].send(phone);
    expect(await fleet[judge].verify(phone, otp)).toMatchObject({ status: 200 });
  });

  it('is guessed as rarely as ever, whichever replica judges', async () => {
    const { prepared, rotating } = fleet;
    const phone = numbers.phone();
    const otp = await prepared.send(phone);
    const wrong = otherCode(otp);
    expect(await prepared.verify(phone, wrong)).toMatchObject({ code: 'INVALID_OTP' });
    expect(await rotating.verify(phone, wrong)).toMatchObject({ code: 'INVALID_OTP' });
    expect(await prepared.verify(phone, wrong)).toMatchObject({ code: 'INVALID_OTP' });
    expect(await rotating.verify(phone, otp)).toMatchObject({ code: 'OTP_LOCKED' });
    expect(await prepared.verify(phone, otp)).toMatchObject({ code: 'OTP_LOCKED' });
  });

  it('is sent as rarely as ever, whichever replica is asked', async () => {
    const { prepared, rotating, system } = fleet;
    const phone = numbers.phone();
    const send = (replica: typeof prepared) =>
      replica.customer()('POST', '/auth/send-otp', { phone });
    const statuses: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      statuses.push((await send(round % 2 === 0 ? prepared : rotating)).status);
      system.clock.advance(61_000);
    }
    expect(statuses).toContain(429);
    expect((await send(prepared)).status).toBe(429);
    expect((await send(rotating)).status).toBe(429);
  });

  it('opens no account for a number that cools down since before', async () => {
    const { before, rotating, system } = fleet;
    const phone = numbers.phone();
    await system.db.deletedPhone.create({
      data: {
        phoneHash: before.system.blindIndex('phone', phone),
        until: addSeconds(system.clock.now(), 3600),
      },
    });
    expect(await signUp(rotating, phone)).toMatchObject({ code: 'ACCOUNT_UNAVAILABLE' });
  });
});

const login = (replica: typeof fleet.before, phone: string, mpin: string) =>
  replica.customer()('POST', '/auth/login-mpin', { phone, mpin });
const customerOf = async (replica: typeof fleet.before) => {
  const customer = await replica.make.customer();
  const set = await replica.customer(customer.token)('POST', '/auth/set-mpin', { mpin: '4829' });
  expect(set).toMatchObject({ status: 200 });
  return customer;
};

describe('an MPIN', () => {
  it('opens a session whichever replica is asked, and still when the old keys are gone', async () => {
    const { before, prepared, rotating, after, system } = fleet;
    const { phone } = await customerOf(before);
    for (const replica of [before, prepared, rotating]) {
      expect(await login(replica, phone, '4829')).toMatchObject({ status: 200 });
    }
    await createKeyedRenewal(rotating.system)(new AbortController().signal);
    expect(await login(after, phone, '4829')).toMatchObject({ status: 200 });
    expect(await system.db.user.count({ where: { phone } })).toBe(1);
  });

  it('is guessed as rarely as ever, whichever replica judges', async () => {
    const { prepared, rotating } = fleet;
    const { phone } = await customerOf(prepared);
    for (const replica of [prepared, rotating, prepared, rotating, prepared]) {
      expect(await login(replica, phone, '0000')).toMatchObject({ code: 'INVALID_CREDENTIALS' });
    }
    expect(await login(rotating, phone, '4829')).toMatchObject({ code: 'MPIN_LOCKED' });
    expect(await login(prepared, phone, '4829')).toMatchObject({ code: 'MPIN_LOCKED' });
  });
});

describe('a PAN and an Aadhaar', () => {
  it.each([
    ['pan', 'before', 'rotating'],
    ['aadhaar', 'before', 'rotating'],
    ['pan', 'rotating', 'prepared'],
  ] as const)('stay of one account: %s, taken %s, given %s', async (field, taker, giver) => {
    const number = numbers[field]();
    const [one, two] = [await fleet[taker].make.customer(), await fleet[giver].make.customer()];
    const first = await fleet[taker].kyc.submit(one, { [field]: number });
    expect(first).toMatchObject({ status: 200 });
    const second = await fleet[giver].kyc.submit(two, { [field]: number });
    expect(second).toMatchObject({ status: 409, code: 'KYC_DUPLICATE' });
  });

  it('stay of one account although two replicas with different first keys are asked at once', async () => {
    const { prepared, rotating } = fleet;
    for (let round = 0; round < 5; round += 1) {
      const given = { pan: numbers.pan(), aadhaar: numbers.aadhaar() };
      const people = await Promise.all(
        [prepared, rotating].map(async (replica) => {
          const customer = await replica.make.customer();
          const body = { ...(await replica.kyc.submission(customer)), ...given };
          return { call: replica.kyc.as(customer), body };
        }),
      );
      const answers = await Promise.all(
        people.map(({ call, body }) => call('POST', '/kyc/submit', body)),
      );
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    }
  });
});
