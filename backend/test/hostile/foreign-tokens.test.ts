import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openReplica, type Replica } from '../keys/open-replicas.ts';
import type { Answer } from '#test/support/caller.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { createTokenSigner } from '../../src/platform/auth/jwt.ts';

let system: TestSystem;
/** The three APIs with one secret, on one database. */
let apis: Replica;
let customer: Awaited<ReturnType<Replica['make']['customer']>>;
let admin: Awaited<ReturnType<Replica['make']['admin']>>;
let portalUser: Awaited<ReturnType<Replica['make']['portalUser']>>;

beforeAll(async () => {
  system = await openTestSystem();
  apis = await openReplica(system, 'one');
  customer = await apis.make.customer();
  admin = await apis.make.admin();
  portalUser = await apis.make.portalUser();
});
afterAll(async () => {
  await apis.stop();
  await system.close();
});

const asCustomer = (token?: string): Promise<Answer> =>
  apis.customer(token)('GET', '/auth/sessions');
const asAdmin = (token?: string): Promise<Answer> => apis.admin(token)('POST', '/auth/logout');
const asPortalUser = (token?: string): Promise<Answer> => apis.portalWith(token)('GET', '/auth/me');

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const claimsOf = (token: string): object => {
  const claims: unknown = JSON.parse(
    Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
  );
  return Object(claims);
};
/** The same claims under another header, with a signature of its algorithm or with none. */
const withHeader = (token: string, header: object, key?: string): string => {
  const signed = `${encode(header)}.${encode(claimsOf(token))}`;
  const mac = key === undefined ? '' : createHmac('sha512', key).update(signed).digest('base64url');
  return `${signed}.${mac}`;
};
const forgeriesOf = (token: string) => {
  const [head = '', , mac = ''] = token.split('.');
  const other = createTokenSigner({
    secret: 'some-other-secret-of-32-characters',
    clock: system.clock,
  });
  const later = { ...claimsOf(token), exp: 4_000_000_000 };
  return {
    'one without a signature': withHeader(token, { alg: 'none', typ: 'JWT' }),
    'one of algorithm None': withHeader(token, { alg: 'None', typ: 'JWT' }),
    'one of another algorithm, rightly signed': withHeader(token, { alg: 'HS512' }, apis.secret),
    'one signed with another key': other.sign({ ...claimsOf(token) }, 900),
    'one whose claims were changed': `${head}.${encode(later)}.${mac}`,
    'the claims alone': encode(claimsOf(token)),
  };
};

/** Returns the requests that were answered otherwise than with 401 UNAUTHENTICATED. */
const admitted = async (
  answers: Readonly<Record<string, Promise<Answer>>>,
): Promise<readonly string[]> => {
  const others: string[] = [];
  for (const [name, answer] of Object.entries(answers)) {
    const { status, code } = await answer;
    if (status !== 401 || code !== 'UNAUTHENTICATED') others.push(`${name}: ${status}`);
  }
  return others;
};

describe('each API', () => {
  it('admits its own credential', async () => {
    expect((await asCustomer(customer.token)).status).toBe(200);
    expect((await asAdmin(admin.token)).status).toBe(204);
    expect((await asPortalUser(portalUser.token)).status).toBe(200);
  });

  it('refuses the credential of each other one', async () => {
    expect(
      await admitted({
        "customer API, an operator's": asCustomer(admin.token),
        "customer API, a portal user's": asCustomer(portalUser.token),
        "admin API, a customer's": asAdmin(customer.token),
        "admin API, a portal user's": asAdmin(portalUser.token),
        "accounting API, a customer's": asPortalUser(customer.token),
        "accounting API, an operator's": asPortalUser(admin.token),
        'accounting API, its own as a bearer token': apis.portalBearer(portalUser.token)(
          'GET',
          '/auth/me',
        ),
      }),
    ).toEqual([]);
  });

  it('refuses one of its own that claims to be of another', async () => {
    const posing = { sub: admin.adminId, phone: customer.phone, deviceId: 'x', jti: admin.adminId };
    const operator = { sub: customer.userId, email: admin.email, role: 'SUPER_ADMIN' };
    expect(
      await admitted({
        "an operator's id as a customer's": asCustomer(apis.system.tokens.sign(posing, 900)),
        "a customer's id as an operator's": asAdmin(apis.system.tokens.sign(operator, 900)),
      }),
    ).toEqual([]);
  });

  it('refuses what is forged', async () => {
    for (const [name, token] of Object.entries(forgeriesOf(customer.token))) {
      expect(await admitted({ [`customer API, ${name}`]: asCustomer(token) })).toEqual([]);
    }
    for (const [name, token] of Object.entries(forgeriesOf(admin.token))) {
      expect(await admitted({ [`admin API, ${name}`]: asAdmin(token) })).toEqual([]);
    }
    expect(await admitted({ 'accounting API': asPortalUser('A'.repeat(43)) })).toEqual([]);
  });

  it('refuses every other credential of a customer', async () => {
    const phone = apis.make.numbers.phone();
    const { body } = await apis.verify(phone, await apis.send(phone));
    const token = String(body['accessToken']);
    const issued = await apis.customer(token)('POST', '/auth/biometric-token', {});
    expect(
      await admitted({
        'a refresh token': asCustomer(String(body['refreshToken'])),
        'a biometric token': asCustomer(String(issued.body['biometricToken'])),
        'no token': asCustomer(),
      }),
    ).toEqual([]);
  });

  it('refuses one of a subject that is gone or blocked', async () => {
    const [blocked, deleted, dismissed] = [
      await apis.make.customer(),
      await apis.make.customer(),
      await apis.make.admin(),
    ];
    await system.db.user.update({
      where: { id: blocked.userId },
      data: { blocked: true, blockedReason: 'fraud' },
    });
    await system.db.user.update({
      where: { id: deleted.userId },
      data: { phone: null, phoneHash: null, deletedAt: system.clock.now() },
    });
    await system.db.adminUser.update({ where: { id: dismissed.adminId }, data: { active: false } });
    expect(
      await admitted({
        "a blocked customer's": asCustomer(blocked.token),
        "a deleted customer's": asCustomer(deleted.token),
        "a dismissed operator's": asAdmin(dismissed.token),
      }),
    ).toEqual([]);
  });

  it('refuses one that has expired', async () => {
    const late = await apis.make.customer();
    system.clock.advance(15 * 60_000);
    expect(await admitted({ "a customer's, after 15 minutes": asCustomer(late.token) })).toEqual(
      [],
    );
    system.clock.advance(8 * 60 * 60_000);
    expect(
      await admitted({
        "an operator's, after 8 hours": asAdmin(admin.token),
        "a portal user's, after 8 hours": asPortalUser(portalUser.token),
      }),
    ).toEqual([]);
  });
});
