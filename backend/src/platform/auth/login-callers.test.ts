import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCaller } from '#test/support/caller.ts';
import { createFactories, type Factories } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { serveAccountingApi, serveAdminApi } from '#test/support/serve-apis.ts';
import { createAdminChanges } from '../../modules/admins/index.ts';

const minuteMs = 60_000;
type Api = 'admin' | 'portal';

let system: TestSystem;
let make: Factories;
let urls: Readonly<Record<Api, string>>;

beforeAll(async () => {
  system = await openTestSystem();
  make = createFactories(system);
  const [admin, portal] = await Promise.all([serveAdminApi(system), serveAccountingApi(system)]);
  urls = { admin: admin.url, portal: portal.url };
});

afterAll(async () => system.close());

interface Login {
  readonly email: string;
  readonly password: string;
  readonly browserToken?: string;
}

const login = async (api: Api, ip: string, { email, password, browserToken }: Login) => {
  const call = createCaller(urls[api], { 'x-forwarded-for': ip });
  const { status, body } = await call('POST', '/auth/login', { email, password, browserToken });
  return { status, browserToken: String(body['browserToken']) };
};

const fail = async (api: Api, email: string, ips: readonly string[]) => {
  const statuses = [];
  for (const ip of ips) statuses.push((await login(api, ip, { email, password: 'no' })).status);
  return statuses;
};

const five = (ip: string): string[] => Array.from({ length: 5 }, () => ip);
const known = async (api: Api): Promise<Login> => {
  const { email, password } = api === 'admin' ? await make.admin() : await make.portalUser();
  return { email, password };
};

describe.each<Api>(['admin', 'portal'])('a sign-in to the %s API', (api) => {
  it('the sign-in is locked for the address that failed five times, and for no other', async () => {
    const owner = await known(api);
    const statuses = await fail(api, owner.email, five('198.51.100.1'));
    expect(statuses).toEqual([401, 401, 401, 401, 401]);
    expect(await login(api, '198.51.100.1', owner)).toMatchObject({ status: 429 });
    expect(await login(api, '198.51.100.2', owner)).toMatchObject({ status: 200 });
  });

  it('the sign-in counts the addresses of one IPv6 client together', async () => {
    const owner = await known(api);
    const statuses = await fail(api, owner.email, [
      '2001:db8:0:100::1',
      '2001:db8:0:1ff::1',
      '2001:db8:0:100::2',
      '2001:db8:0:1aa::1',
      '2001:db8:0:100::3',
      '2001:db8:0:101::1',
    ]);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it('the sign-in goes on in a browser that signed in before, and in no other', async () => {
    const [owner, other] = [await known(api), await known(api)];
    const ip = '198.51.100.3';
    const { browserToken } = await login(api, ip, owner);
    const others = await login(api, ip, other);
    await fail(api, owner.email, five(ip));
    expect(await login(api, ip, { ...owner, browserToken })).toEqual({ status: 200, browserToken });
    for (const wrong of [others.browserToken, `${browserToken}x`, 'made-up', '.', '']) {
      const told = await login(api, ip, { ...owner, browserToken: wrong });
      expect([400, 429]).toContain(told.status);
    }
  });

  it('the sign-in knows a browser for 180 days, and gives it a new token after 30', async () => {
    const owner = await known(api);
    const dayS = 24 * 60 * 60;
    const ip = '198.51.100.5';
    const { browserToken: first } = await login(api, ip, owner);
    await system.advance(31 * dayS);
    const { browserToken: second } = await login(api, ip, { ...owner, browserToken: first });
    expect(second).not.toBe(first);
    await system.advance(149 * dayS);
    await fail(api, owner.email, five(ip));
    expect(await login(api, ip, { ...owner, browserToken: first })).toMatchObject({ status: 200 });
    await system.advance(dayS);
    await fail(api, owner.email, five(ip));
    expect(await login(api, ip, { ...owner, browserToken: first })).toMatchObject({ status: 429 });
    expect(await login(api, ip, { ...owner, browserToken: second })).toMatchObject({ status: 200 });
  });

  it('the sign-in counts one browser however its token is written', async () => {
    const owner = await known(api);
    const { browserToken } = await login(api, '198.51.100.4', owner);
    const [name = '', mark = ''] = browserToken.split('.');
    const statuses = [];
    for (let n = 0; n < 6; n += 1) {
      const written = `${n % 2 === 0 ? name : name.toUpperCase()}.${mark}`;
      const tried = { ...owner, password: 'no', browserToken: written };
      statuses.push((await login(api, `198.51.100.${10 + n}`, tried)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it('the sign-in is locked for all strangers together after twenty failures in 30 minutes', async () => {
    const owner = await known(api);
    const { browserToken } = await login(api, '198.51.100.30', owner);
    const ips = [31, 32, 33, 34].flatMap((n) => five(`198.51.100.${n}`));
    expect(new Set(await fail(api, owner.email, ips))).toEqual(new Set([401]));
    expect(await login(api, '198.51.100.35', owner)).toMatchObject({ status: 429 });
    const again = await login(api, '198.51.100.31', { ...owner, browserToken });
    expect(again).toMatchObject({ status: 200 });
    expect(await login(api, '198.51.100.35', owner)).toMatchObject({ status: 429 });
    system.clock.advance(30 * minuteMs);
    expect(await login(api, '198.51.100.35', owner)).toMatchObject({ status: 200 });
  });
});

it('the sign-in is open to everybody again where goldctl reset the password', async () => {
  const { email } = await known('admin');
  await fail(
    'admin',
    email,
    [41, 42, 43, 44].flatMap((n) => five(`198.51.100.${n}`)),
  );
  const password = 'a later secret';
  const changes = createAdminChanges({ ...system, audit: async () => {} });
  await changes.resetPassword(email, password);
  expect(await login('admin', '198.51.100.41', { email, password })).toMatchObject({ status: 200 });
});
