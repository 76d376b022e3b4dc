import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerCaller, createCaller, type Answer, type Caller } from '#test/support/caller.ts';
import { createFactories } from '#test/support/factories.ts';
import { openAdminApi, type OpenAdminApi } from '#test/support/open-admin-api.ts';
import { operatorRoles, readRouteTable, rolesOf } from './operator-routes.ts';

/** Routes of the sign-in and the probes, which the table of operators' work does not have. */
const besides: Readonly<Record<string, readonly string[] | 'everybody'>> = {
  'GET /health': 'everybody',
  'POST /auth/login': 'everybody',
  'POST /auth/logout': operatorRoles,
};

let open: OpenAdminApi;
let callers: Readonly<Record<string, Caller>>;
/** The role that counts for each caller, or undefined for a caller who is not an operator. */
const roleOf: Record<string, string | undefined> = {};

beforeAll(async () => {
  open = await openAdminApi();
  const { system, url } = open;
  const make = createFactories(system);
  const [superAdmin, admin, support, gone, demoted] = await Promise.all([
    make.admin('SUPER_ADMIN'),
    make.admin('ADMIN'),
    make.admin('SUPPORT'),
    make.admin('SUPER_ADMIN'),
    make.admin('SUPER_ADMIN'),
  ]);
  const customer = await make.customer();
  const portalUser = await make.portalUser('super_admin');
  await system.db.adminUser.update({ where: { id: gone.adminId }, data: { active: false } });
  await system.db.adminUser.update({ where: { id: demoted.adminId }, data: { role: 'SUPPORT' } });
  callers = {
    'a super admin': bearerCaller(url, superAdmin.token),
    'an admin': bearerCaller(url, admin.token),
    support: bearerCaller(url, support.token),
    'a super admin who is support by now': bearerCaller(url, demoted.token),
    nobody: bearerCaller(url),
    'a customer': bearerCaller(url, customer.token),
    'a portal user': createCaller(url, { 'x-portal-token': portalUser.token }),
    'a portal user by bearer': bearerCaller(url, portalUser.token),
    'a super admin who was deactivated': bearerCaller(url, gone.token),
  };
  roleOf['a super admin'] = 'SUPER_ADMIN';
  roleOf['an admin'] = 'ADMIN';
  roleOf['support'] = 'SUPPORT';
  roleOf['a super admin who is support by now'] = 'SUPPORT';
});

afterAll(() => open.close());

/** Reads the guard's verdict: 401, 403 by role, or that the request got past it. */
const verdictOf = ({ status, code }: Answer) => {
  if (status === 401) return 'UNAUTHENTICATED';
  return status === 403 && code === 'FORBIDDEN' ? 'FORBIDDEN' : 'admitted';
};

const expectedOf = (admitted: readonly string[] | 'everybody', caller: string) => {
  if (admitted === 'everybody') return 'admitted';
  const role = roleOf[caller];
  if (role === undefined) return 'UNAUTHENTICATED';
  return admitted.includes(role) ? 'admitted' : 'FORBIDDEN';
};

describe('every route of the admin API', () => {
  it('stands in the contract, with its roles', async () => {
    const table = await readRouteTable();
    expect(table.length).toBeGreaterThan(30);
    const differing = open.api.definition.routes.flatMap(({ method, path, access }) => {
      const name = `${method} ${path}`;
      const admitted = besides[name] ?? rolesOf(table, method, path);
      if (admitted === undefined) return [`${name} is not in the table`];
      const declared = access.kind === 'public' ? 'everybody' : (access.roles ?? operatorRoles);
      const isSame = [declared].flat().toSorted().join() === [admitted].flat().toSorted().join();
      return isSame ? [] : [`${name} admits ${String(declared)}, the table ${String(admitted)}`];
    });
    expect(differing).toEqual([]);
  });

  it('admits the roles of the contract, and nobody else', async () => {
    const table = await readRouteTable();
    const wrong: string[] = [];
    for (const { method, path } of open.api.definition.routes) {
      const name = `${method} ${path}`;
      const admitted = besides[name] ?? rolesOf(table, method, path) ?? [];
      // A sign-in without a body is 400 before the guard has anything to say.
      const address = path.replaceAll(/:\w+/gu, '019a8c7e-0000-7000-8000-000000000001');
      const answers = Object.entries(callers).map(async ([caller, call]) => {
        const verdict = verdictOf(await call(method, address));
        const expected = expectedOf(admitted, caller);
        if (verdict !== expected) wrong.push(`${name}, ${caller}: ${verdict}, not ${expected}`);
      });
      await Promise.all(answers);
    }
    expect(wrong).toEqual([]);
  });
});
