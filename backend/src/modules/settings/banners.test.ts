import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerCaller, createCaller, type Caller } from '#test/support/caller.ts';
import { createFactories, type MadeAdmin } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { createAdmins } from '../admins/index.ts';
import { createSettings } from './index.ts';

let system: TestSystem;
let url: string;
let operators: readonly MadeAdmin[];
let ask: Caller;

beforeAll(async () => {
  system = await openTestSystem();
  const make = createFactories(system);
  operators = [
    await make.admin('SUPER_ADMIN'),
    await make.admin('ADMIN'),
    await make.admin('SUPPORT'),
  ];
  const settings = createSettings(system);
  const { guard } = createAdmins({ ...system, tokenTtlSeconds: 24 * 3600 });
  const routes = [...settings.adminRoutes, ...settings.customerRoutes];
  url = await system.serve({ prefix: '/v1', routes, guard });
  ask = bearerCaller(url, operators[1]?.token);
});

afterAll(() => system.close());

/** Returns the statuses of a request by each role and without a token. */
const statusesOf = async (method: string, path: string, body?: unknown): Promise<number[]> => {
  const callers = [...operators.map(({ token }) => token), undefined];
  const statuses: number[] = [];
  for (const token of callers) {
    statuses.push((await bearerCaller(url, token)(method, path, body)).status);
  }
  return statuses;
};

const put = (id: string, body: unknown) => ask('PUT', `/config/banners/${id}`, body);
const live = async (): Promise<unknown> =>
  (await createCaller(url)('GET', '/public/banners')).body['items'];
const titles = async () => ((await live()) as { title: string }[]).map(({ title }) => title);
const lastAudit = () => system.db.auditLog.findFirstOrThrow({ orderBy: { seq: 'desc' } });

const inHours = (hours: number): string =>
  new Date(system.clock.now().getTime() + hours * 3_600_000).toISOString();

describe('a banner', () => {
  it('is replaced and read by admins, and audited with before and after', async () => {
    const banner = {
      title: 'Diwali',
      body: 'No delivery fee.',
      imageUrl: 'https://cdn.example.test/diwali.png?v=2',
      linkUrl: '/offers/diwali',
      active: false,
      position: 3,
      startsAt: '2026-11-01T00:00:00.000Z',
      endsAt: '2026-11-05T00:00:00.000Z',
    };
    const first = await put('diwali', banner);
    expect(first).toMatchObject({ status: 200, body: { id: 'diwali', ...banner } });
    expect(await lastAudit()).toMatchObject({
      action: 'config.banners.put',
      targetId: 'diwali',
      before: null,
      after: banner,
    });
    const second = await put('diwali', { title: 'Over', active: false });
    const bare = {
      title: 'Over',
      body: null,
      imageUrl: null,
      linkUrl: null,
      active: false,
      position: 0,
      startsAt: null,
      endsAt: null,
    };
    expect(second.body).toEqual({ id: 'diwali', ...bare });
    expect(await lastAudit()).toMatchObject({ before: banner, after: bare });
    const { body } = await ask('GET', '/config/banners');
    expect(body['items']).toEqual([second.body]);
    const any = { title: 'Any', active: false };
    expect(await statusesOf('GET', '/config/banners')).toEqual([200, 200, 403, 401]);
    expect(await statusesOf('PUT', '/config/banners/any', any)).toEqual([200, 200, 403, 401]);
  });

  it('is live while it is active and its window is open, by position and id', async () => {
    await put('b-later', { title: 'later', active: true, startsAt: inHours(1), position: -1 });
    await put('c-now', { title: 'now', active: true, position: 2, endsAt: inHours(2) });
    await put('a-now', { title: 'also now', active: true, position: 2 });
    await put('d-off', { title: 'off', active: false });
    expect(await titles()).toEqual(['also now', 'now']);
    system.clock.advance(3_600_000 - 1);
    expect(await titles()).toEqual(['also now', 'now']);
    system.clock.advance(1);
    expect(await titles()).toEqual(['later', 'also now', 'now']);
    system.clock.advance(3_600_000);
    expect(await titles()).toEqual(['later', 'also now']);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'http://example.test/',
    '//example.test/x',
    '/\\example.test',
    '\\\\example.test',
    'https://user:pass@example.test/',
    'https://',
    'https:/example.test',
    'ftp://example.test',
    'offers',
    '',
    `https://example.test/${'x'.repeat(2048)}`,
  ])('never points to %j', async (address) => {
    for (const field of ['imageUrl', 'linkUrl']) {
      const answer = await put('bad', { title: 'x', active: true, [field]: address });
      expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field });
    }
    expect(await system.db.banner.count({ where: { id: 'bad' } })).toBe(0);
  });

  it.each([
    ['title', { title: '  ' }],
    ['title', { title: 'x'.repeat(201) }],
    ['active', { active: 'yes' }],
    ['position', { position: 1.5 }],
    ['startsAt', { startsAt: '2026-11-01' }],
    ['startsAt', { startsAt: '0000-01-01T00:00:00Z' }],
    ['endsAt', { endsAt: '0001-01-01T00:00:00+05:30' }],
    ['endsAt', { endsAt: '9999-12-31T23:59:59-05:30' }],
    ['endsAt', { startsAt: '2026-11-02T00:00:00Z', endsAt: '2026-11-02T00:00:00Z' }],
    ['endsAt', { startsAt: '2026-11-02T00:00:00Z', endsAt: '2026-11-01T23:59:59Z' }],
  ])('needs a %s that is one', async (field, change) => {
    const answer = await put('bad', { title: 'x', active: true, ...change });
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field });
  });

  it('with a malformed id is not found', async () => {
    for (const id of ['-x', 'a%20b', 'x'.repeat(65)]) {
      expect((await put(id, { title: 'x', active: true })).code).toBe('NOT_FOUND');
    }
  });
});

describe('a feature flag', () => {
  const path = '/config/feature-flags';
  const put = (body: unknown) => bearerCaller(url, operators[0]?.token)('PUT', path, body);

  it('is added and changed by super admins, and listed by key', async () => {
    const description = 'Plans of the new app';
    const flag = { key: 'sip_v2', enabled: true, description, public: true };
    const at = system.clock.now().toISOString();
    expect(await put(flag)).toMatchObject({ status: 200, body: { ...flag, updatedAt: at } });
    await put({ key: 'a.flag', enabled: false });
    // Absent fields do not change.
    const off = { key: 'sip_v2', enabled: false };
    expect(await put(off)).toMatchObject({ body: { ...flag, ...off } });
    // A null from a list may be sent back. It removes the description.
    const bare = { key: 'a.flag', enabled: false, description: null };
    await put({ ...bare, description: 'Soon gone' });
    expect(await put(bare)).toMatchObject({ status: 200, body: bare });
    const { body } = await ask('GET', path);
    expect(body).toEqual({
      items: [
        { key: 'a.flag', enabled: false, description: null, public: false, updatedAt: at },
        { ...flag, enabled: false, public: true, updatedAt: at },
      ],
    });
    expect(await statusesOf('GET', path)).toEqual([200, 200, 403, 401]);
    expect(await statusesOf('PUT', path, off)).toEqual([200, 403, 403, 401]);
  });

  it('is audited with before and after, with a sealed description', async () => {
    await put({ key: 'audited', enabled: false, description: 'Asha asked for it' });
    await put({ key: 'audited', enabled: true, description: 'Meera too' });
    const row = await lastAudit();
    expect(row).toMatchObject({
      action: 'config.feature-flags.put',
      targetId: 'audited',
      before: { enabled: false },
      after: { enabled: true },
    });
    expect(row.sealed).not.toBeNull();
    expect(JSON.stringify({ ...row, seq: 0 })).not.toContain('Meera');
  });

  it.each([
    ['key', { key: '' }],
    ['key', { key: '1st' }],
    ['key', { key: 'a b' }],
    ['key', { key: 'x'.repeat(65) }],
    ['enabled', { enabled: 'true' }],
    ['enabled', { enabled: undefined }],
    ['description', { description: 'x'.repeat(501) }],
  ])('needs a %s that is one', async (field, change) => {
    const answer = await put({ key: 'x', enabled: true, ...change });
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field });
  });
});
