import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createFactories, type Factories } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { serveAccountingApi } from '#test/support/serve-apis.ts';
import { permissions, portalRoles, type Permission } from '../../src/modules/accounting/index.ts';
import { ok, type Route } from '../../src/platform/http/index.ts';

/** A route as the contract lists it: `permission` may be `public` or `signed in`. */
interface Line {
  readonly method: string;
  readonly path: string;
  readonly permission: string;
  readonly kind: string;
}

const page = readFileSync(join(import.meta.dirname, '../../docs/contract/accounting.md'), 'utf8');
const section = page.split('## Routes and permissions')[1]?.split('\n## ')[0] ?? '';
const lines: readonly Line[] = [
  ...section.matchAll(/^\| ([A-Z]+) \| `([^`]+)` \| `?([^`|]+?)`? \| (\w+) \|$/gmu),
].map(([, method = '', path = '', permission = '', kind = '']) => ({
  method,
  path,
  permission,
  kind,
}));

const done = z.object({ done: z.literal(true) });

/** The route with its guard and without its work. */
const admitOnly = ({ atHand: _atHand, ...route }: Route): Route => ({
  ...route,
  responses: { 200: done },
  run: async () => ok({ done: true }),
});

let system: TestSystem;
let make: Factories;
let url: string;
let routes: readonly Route[];

beforeAll(async () => {
  system = await openTestSystem();
  make = createFactories(system);
  const { api } = await serveAccountingApi(system);
  ({ routes } = api);
  url = await system.serve({ ...api, routes: routes.map(admitOnly) });
});

afterAll(async () => system.close());

const modeFile = (): string => join(system.settingsDir, 'ACCOUNTING_PORTAL_MODE');
const setMode = (text: string | undefined): void => {
  rmSync(modeFile(), { force: true });
  if (text !== undefined) writeFileSync(modeFile(), text);
};
beforeEach(() => setMode(undefined));

const uuid = '01900000-0000-7000-8000-000000000001';
const pathOf = (path: string): string =>
  path
    .replace(':id', uuid)
    .replace(':key', 'gst_rate_bps')
    .replace(':date', '2026-01-01')
    .replace(':period', '2026-01');

const call = async ({ method, path }: Line, headers: Readonly<Record<string, string>>) => {
  const response = await fetch(url + pathOf(path), { method, headers });
  const body = Object(await response.json());
  return response.status === 200 ? 'admitted' : `${response.status} ${String(body.error?.code)}`;
};

const callAll = async (headers: Readonly<Record<string, string>>) => {
  const answers: Record<string, string> = {};
  for (const line of lines) answers[`${line.method} ${line.path}`] = await call(line, headers);
  return answers;
};

/** The answers that the contract's lines promise to whoever `decide` speaks for. */
const promised = (decide: (line: Line) => string) =>
  Object.fromEntries(
    lines.map((line) => [
      `${line.method} ${line.path}`,
      line.permission === 'public' ? 'admitted' : decide(line),
    ]),
  );

const promisedTo = (role: string, own: readonly string[], mode: 'readonly' | 'readwrite') =>
  promised(({ permission, kind }) => {
    if (permission === 'signed in') return 'admitted';
    const isHeld =
      own.includes(permission) && (kind !== 'administration' || role === 'super_admin');
    if (!isHeld) return '403 PERMISSION_DENIED';
    return kind === 'write' && mode === 'readonly' ? '403 READ_ONLY_MODE' : 'admitted';
  });

it('the portal has a line of the contract for each route, and a route for each line', () => {
  const declared = routes.map(({ method, path, access }) => {
    const { kind, permission = kind === 'public' ? 'public' : 'signed in', write } = access;
    const isAdministration = write === true && permission.startsWith('portal_users.');
    const writes = isAdministration ? 'administration' : 'write';
    return `${method} ${path} ${permission} ${write === true ? writes : 'read'}`;
  });
  const written = lines.map(
    ({ method, path, permission, kind }) => `${method} ${path} ${permission} ${kind}`,
  );
  expect(written.toSorted()).toEqual(declared.toSorted());
});

describe.each(['readonly', 'readwrite'] as const)('in mode %s', (mode) => {
  beforeEach(() => setMode(mode === 'readwrite' ? mode : undefined));

  it.each(portalRoles)('admits a %s to what the contract says', async (role) => {
    const { token, portalUserId: id } = await make.portalUser(role);
    const { permissions: own } = await system.db.portalUser.findUniqueOrThrow({ where: { id } });
    expect(await callAll({ 'x-portal-token': token })).toEqual(promisedTo(role, own, mode));
  });

  it.each<[string, (typeof portalRoles)[number], readonly Permission[]]>([
    ['a viewer with every permission', 'viewer', permissions],
    ['a super admin with none', 'super_admin', []],
    ['a viewer with two', 'viewer', ['gold.policy.write', 'audit.read']],
  ])("the portal goes by the user's own list: %s", async (_who, role, own) => {
    const { token } = await make.portalUser(role, { permissions: own });
    expect(await callAll({ 'x-portal-token': token })).toEqual(promisedTo(role, own, mode));
  });
});

it('the portal admits nobody without a live token of its own', async () => {
  setMode('readwrite');
  const [customer, admin, ended, old] = [
    await make.customer(),
    await make.admin(),
    await make.portalUser(),
    await make.portalUser(),
  ];
  await system.db.portalSession.updateMany({
    where: { portalUserId: ended.portalUserId },
    data: { revokedAt: system.clock.now() },
  });
  await system.db.portalSession.updateMany({
    where: { portalUserId: old.portalUserId },
    data: { expiresAt: system.clock.now() },
  });
  const live = await make.portalUser();
  const refusedCredentials: Readonly<Record<string, string>>[] = [
    {},
    { 'x-portal-token': 'garbage' },
    { 'x-portal-token': 'x'.repeat(43) },
    { 'x-portal-token': customer.token },
    { authorization: `Bearer ${customer.token}` },
    { 'x-portal-token': admin.token },
    { authorization: `Bearer ${admin.token}` },
    { authorization: `Bearer ${live.token}` },
    { 'x-portal-token': ended.token },
    { 'x-portal-token': old.token },
  ];
  const refused = promised(() => '401 UNAUTHENTICATED');
  for (const headers of refusedCredentials) expect(await callAll(headers)).toEqual(refused);
});

it('the portal is read-only unless the switch is exactly readwrite, from the next request on', async () => {
  const { token } = await make.portalUser('finance_head');
  const write = lines.find(({ kind }) => kind === 'write');
  const seen: string[] = [];
  for (const text of [
    undefined,
    'readwrite',
    'ReadWrite',
    ' readwrite ',
    'true',
    '',
    'readwrite',
  ]) {
    setMode(text);
    seen.push(write === undefined ? '' : await call(write, { 'x-portal-token': token }));
  }
  const [no, yes] = ['403 READ_ONLY_MODE', 'admitted'];
  expect(seen).toEqual([no, yes, no, no, no, no, yes]);
});
