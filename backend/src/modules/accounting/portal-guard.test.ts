import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createCaller } from '#test/support/caller.ts';
import { eventually } from '#test/support/eventually.ts';
import { createFactories, type Factories } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { defineRoute, ok } from '../../platform/http/index.ts';
import { createRateLimit } from '../../platform/rate-limit/create-rate-limit.ts';
import { createRefusalSweep } from '../audit/index.ts';
import { createAccounting, portalRead, portalWrite, type Permission } from './index.ts';
import { administrationPermissions, permissions } from './permissions.ts';

let system: TestSystem;
let make: Factories;
let url: string;

const route = (method: 'GET' | 'POST', path: string, permission: Permission) =>
  defineRoute({
    method,
    path,
    summary: path,
    tags: [],
    access: method === 'GET' ? portalRead(permission) : portalWrite(permission),
    ...(method === 'POST' && { body: z.object({ note: z.string() }) }),
    responses: { 200: z.object({ done: z.literal(true) }) },
    handler: async () => ok({ done: true }),
  });

beforeAll(async () => {
  system = await openTestSystem();
  make = createFactories(system);
  const { routes, guard } = createAccounting(system);
  const probes = [
    route('GET', '/probe/:id', 'gold.buys.read'),
    route('POST', '/probe/:id', 'gold.policy.write'),
    ...administrationPermissions.map((one) => route('POST', `/administer/${one}`, one)),
  ];
  const prefix = '/api/v1/accounting';
  url = await system.serve({ prefix, routes: [...routes, ...probes], guard });
});

afterAll(async () => system.close());

const modeFile = (): string => join(system.settingsDir, 'ACCOUNTING_PORTAL_MODE');
const setMode = (text: string): void => writeFileSync(modeFile(), text);

beforeEach(() => rmSync(modeFile(), { force: true }));

const call = (token: string | undefined, method: string, path: string) =>
  createCaller(url, token === undefined ? {} : { 'x-portal-token': token })(
    method,
    path,
    method === 'POST' ? { note: 'x' } : undefined,
  );
const read = (token?: string) => call(token, 'GET', '/probe/1');
const write = (token?: string) => call(token, 'POST', '/probe/1');

const refusals = async (token: string | undefined, run: typeof write): Promise<unknown> => {
  const before = await system.db.auditLog.count();
  const { status, code } = await run(token);
  const rows = await system.db.auditLog.findMany({ skip: before, orderBy: { seq: 'asc' } });
  return { status, code, rows };
};

const refused = (code: string) => ({
  action: 'accounting.refused',
  outcome: 'REFUSED',
  actorApi: 'accounting',
  after: { code, method: 'POST', route: '/probe/:id', permission: 'gold.policy.write' },
});

const administer = async (token: string) =>
  Promise.all(
    administrationPermissions.map(
      async (one) => (await call(token, 'POST', `/administer/${one}`)).code ?? 'done',
    ),
  );

const change = (id: string, data: object) => system.db.portalUser.update({ where: { id }, data });

describe('the order of refusals', () => {
  it('is the token, the permission, the mode', async () => {
    const viewer = await make.portalUser('viewer');
    const officer = await make.portalUser('tax_officer');
    expect(await write()).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect(await write(viewer.token)).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
    expect(await write(officer.token)).toMatchObject({ status: 403, code: 'READ_ONLY_MODE' });
    setMode('readwrite');
    expect(await write(officer.token)).toMatchObject({ status: 200 });
    expect(await write(viewer.token)).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
    expect(await write()).toMatchObject({ status: 401 });
  });

  it('comes before the body is parsed', async () => {
    const officer = await make.portalUser('tax_officer');
    const ask = createCaller(url, { 'x-portal-token': officer.token });
    expect(await ask('POST', '/probe/1', '{broken')).toMatchObject({ code: 'READ_ONLY_MODE' });
    setMode('readwrite');
    expect(await ask('POST', '/probe/1', '{broken')).toMatchObject({ code: 'MALFORMED_JSON' });
  });

  it('writes an audit row of each refusal, with its actor, route and code', async () => {
    const viewer = await make.portalUser('viewer');
    const officer = await make.portalUser('tax_officer');
    system.clock.advance(60_000);
    expect(await refusals(undefined, write)).toMatchObject({
      rows: [{ ...refused('UNAUTHENTICATED'), actorId: null }],
    });
    expect(await refusals(viewer.token, write)).toMatchObject({
      rows: [
        {
          ...refused('PERMISSION_DENIED'),
          actorId: viewer.portalUserId,
          actorEmail: viewer.email,
          actorRole: 'viewer',
        },
      ],
    });
    expect(await refusals(officer.token, write)).toMatchObject({
      rows: [{ ...refused('READ_ONLY_MODE'), actorId: officer.portalUserId }],
    });
    expect(await refusals(viewer.token, read)).toMatchObject({ status: 200, rows: [] });
  });
});

describe('refusals without a valid token', () => {
  it('are counted together per address and minute', async () => {
    system.clock.advance(60_000);
    const writeRefusals = () => createRefusalSweep(system).run(new AbortController().signal);
    await writeRefusals();
    const before = await system.db.auditLog.count();
    for (const token of [undefined, 'x', undefined, 'A'.repeat(43)]) await write(token);
    await read();
    expect(await system.db.auditLog.count()).toBe(before + 1);
    system.clock.advance(60_000);
    await writeRefusals();
    const rows = await system.db.auditLog.findMany({ skip: before, orderBy: { seq: 'asc' } });
    const { after } = refused('UNAUTHENTICATED');
    const other = { ...after, method: 'GET', permission: 'gold.buys.read' };
    expect(rows).toMatchObject([
      { ...refused('UNAUTHENTICATED'), actorId: null, ip: '127.0.0.1' },
      { action: 'accounting.refused', after: { further: 4, refused: [after, other] } },
    ]);
  });
});

const serveLimited = async (prefix: string) => {
  const { routes, guard, rateLimited } = createAccounting(system);
  const rateLimit = createRateLimit({
    redis: system.redis,
    prefix: `limited${prefix}`,
    limit: 1,
    windowMs: 60_000,
    onLimited: rateLimited.record,
  });
  const url = await system.serve({ prefix, routes, guard, rateLimit });
  return { call: createCaller(url), rateLimited };
};

describe('requests beyond the rate limit', () => {
  const where = { action: 'accounting.refused', after: { path: ['code'], equals: 'RATE_LIMITED' } };
  it('are audited, and the first of an address in a minute is audited at once', async () => {
    const { call } = await serveLimited('/first');
    system.clock.advance(60_000);
    for (const expected of [404, 429, 429]) {
      expect(await call('GET', '/nowhere')).toMatchObject({ status: expected });
    }
    await eventually(async () => {
      expect(await system.db.auditLog.findMany({ where })).toMatchObject([
        { action: 'accounting.refused', outcome: 'REFUSED', ip: '127.0.0.1' },
      ]);
    });
    expect(await call('GET', '/nowhere')).toMatchObject({ status: 429 });
    system.clock.advance(60_000);
    expect(await call('GET', '/nowhere')).toMatchObject({ status: 429 });
    await eventually(async () => expect(await system.db.auditLog.count({ where })).toBe(2));
  });

  it('are all counted, and one row has the number of further requests', async () => {
    const { call, rateLimited } = await serveLimited('/count');
    const sweep = () => createRefusalSweep(system).run(new AbortController().signal);
    system.clock.advance(60_000);
    await sweep();
    const before = await system.db.auditLog.count();
    await call('GET', '/nowhere');
    for (let limited = 0; limited < 7; limited += 1) await call('GET', '/nowhere');
    await rateLimited.flush();
    system.clock.advance(60_000);
    await eventually(async () => {
      await sweep();
      const rows = await system.db.auditLog.findMany({ skip: before, orderBy: { seq: 'asc' } });
      expect(rows).toMatchObject([
        { action: 'accounting.refused', after: { code: 'RATE_LIMITED' } },
        { action: 'accounting.refused', after: { further: 6 } },
      ]);
    });
  });
});

describe('the mode', () => {
  it.each(['', 'readonly', 'READWRITE', 'ReadWrite', ' readwrite', 'readwrite ', 'true', '1'])(
    'is read-only for %j',
    async (text) => {
      const { token } = await make.portalUser('tax_officer');
      setMode(text);
      expect(await write(token)).toMatchObject({ code: 'READ_ONLY_MODE' });
      expect(await read(token)).toMatchObject({ status: 200 });
    },
  );

  it('is read at every request', async () => {
    const { token } = await make.portalUser('tax_officer');
    setMode('readwrite\n');
    expect(await write(token)).toMatchObject({ status: 200 });
    setMode('readonly');
    expect(await write(token)).toMatchObject({ status: 403 });
  });
});

describe('the six permissions of administration', () => {
  it('count for a super admin even in read-only mode', async () => {
    const { token } = await make.portalUser('super_admin');
    expect(new Set(await administer(token))).toEqual(new Set(['done']));
    expect(await write(token)).toMatchObject({ code: 'READ_ONLY_MODE' });
  });

  it('need the role, even if the array has them', async () => {
    setMode('readwrite');
    const { token } = await make.portalUser('finance_head', { permissions });
    expect(new Set(await administer(token))).toEqual(new Set(['PERMISSION_DENIED']));
    expect(await write(token)).toMatchObject({ status: 200 });
  });

  it('need the array, even for the role', async () => {
    const { token } = await make.portalUser('super_admin', {
      permissions: ['portal_users.create'],
    });
    expect((await administer(token)).filter((code) => code === 'done')).toHaveLength(1);
    expect(await read(token)).toMatchObject({ code: 'PERMISSION_DENIED' });
  });
});

describe("a user's record", () => {
  it('decides at the next request by its permissions, role and active flag', async () => {
    const { portalUserId: id, token } = await make.portalUser('super_admin');
    const administer = () => call(token, 'POST', '/administer/portal_users.create');
    expect(await read(token)).toMatchObject({ status: 200 });
    await change(id, { role: 'auditor' });
    expect(await administer()).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await read(token)).toMatchObject({ status: 200 });
    await change(id, { permissions: ['gold.summary.read'] });
    expect(await read(token)).toMatchObject({ code: 'PERMISSION_DENIED' });
    await change(id, { permissions: ['gold.buys.read'] });
    expect(await read(token)).toMatchObject({ status: 200 });
    await change(id, { active: false });
    expect(await read(token)).toMatchObject({ status: 401 });
    await change(id, { active: true });
    expect(await read(token)).toMatchObject({ status: 200 });
  });
});
