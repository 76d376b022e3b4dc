import { expect } from 'vitest';
import type { Answer } from '#test/support/caller.ts';
import type { RunningSystem } from '#test/support/open-running-system.ts';
import { runningTest } from '#test/support/running-test.ts';
import type { Call } from '#test/support/test-customer.ts';
import { newSeller } from '#test/support/test-seller.ts';
import { createOwner, foreignNames, makerOf, namedInBodies } from './customer-resources.ts';
import { readRoutes, type DocumentedRoute } from '../hostile/openapi-document.ts';

/** With `routes`, every route of the customer API that needs a token. */
const it = runningTest()
  .extend('owner', { scope: 'file' }, ({ system }) => createOwner(system))
  .extend('otherSeller', { scope: 'file' }, ({ system }) => newSeller(system))
  .extend('routes', { scope: 'file' }, async ({ system }) => {
    const all = await readRoutes(system.stack.urlOf('customer'));
    return all.filter(({ isPublic }) => !isPublic);
  });

const below = ({ path }: DocumentedRoute): string => path.replace(/^\/v1/u, '');
const withIds = (routes: readonly DocumentedRoute[]) =>
  routes.filter(({ path }) => path.includes('{'));

const fieldsThatName = (
  routes: readonly DocumentedRoute[],
): { route: DocumentedRoute; name: string }[] =>
  routes.flatMap((route) =>
    Object.entries(route.body?.properties ?? {})
      .filter(([field, { format }]) => format === 'uuid' || /(?:_id|Id|Key)$/u.test(field))
      .map(([field]) => ({ route, name: `${route.method} ${below(route)} ${field}` }))
      .filter(({ name }) => !foreignNames.has(name)),
  );

const send = (
  system: RunningSystem,
  call: Call,
  route: DocumentedRoute,
  params: Readonly<Record<string, string>>,
  body?: object,
): Promise<Answer> => {
  const path = below(route).replace(/\{(\w+)\}/gu, (_all, name: string) =>
    encodeURIComponent(params[name] ?? system.runtime.random.uuid()),
  );
  return call(route.method, path, route.body === undefined ? undefined : (body ?? {}));
};

const errorOf = ({ status, body }: Answer): object => {
  const { requestId: _requestId, ...error } = Object(body['error']);
  return { status, ...error };
};

it('the test has a maker for every id in a path and in a body', ({ routes }) => {
  expect(withIds(routes).length).toBeGreaterThan(8);
  const missing = withIds(routes).filter((route) => makerOf(below(route)) === undefined);
  expect(missing.map(({ name }) => name)).toEqual([]);
  const names = fieldsThatName(routes).map(({ name }) => name);
  expect(names.filter((name) => namedInBodies[name] === undefined)).toEqual([]);
  expect(Object.keys(namedInBodies).filter((name) => !names.includes(name))).toEqual([]);
});

it("the API answers another customer's id in a path as one that does not exist", async ({
  system,
  owner,
  otherSeller,
  routes,
}) => {
  for (const route of withIds(routes)) {
    const { params, body } = (await makerOf(below(route))?.(owner)) ?? { params: {} };
    const unknown = Object.keys(params).map((name) => [name, system.runtime.random.uuid()]);
    const foreign = await send(system, otherSeller.client.call, route, params, body);
    expect(foreign, `at ${route.name}`).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    const absent = await send(
      system,
      otherSeller.client.call,
      route,
      Object.fromEntries(unknown),
      body,
    );
    expect(errorOf(foreign), `at ${route.name}`).toEqual(errorOf(absent));
    // The id is good, and what it names is there still: to its owner it is something.
    const own = await send(system, owner.client.call, route, params, body);
    expect(own.status, `${route.name} by its owner`).not.toBe(404);
    expect(own.status, `${route.name} by its owner`).toBeLessThan(500);
  }
});

it("the API refuses another customer's id in a body", async ({
  system,
  owner,
  otherSeller,
  routes,
}) => {
  for (const { route, name } of fieldsThatName(routes)) {
    const { body, refusal } = namedInBodies[name] ?? {};
    const foreign = await send(
      system,
      otherSeller.client.call,
      route,
      {},
      await body?.(owner, otherSeller),
    );
    expect(foreign, `at ${name}`).toMatchObject(refusal ?? {});
    const own = await send(system, owner.client.call, route, {}, await body?.(owner, owner));
    expect(own.status, `${name} by its owner`).toBeLessThan(500);
    expect(own, `${name} by its owner`).not.toMatchObject(refusal ?? {});
  }
});

it('the API admits nobody to a route that needs a customer, but who shows a token of one', async ({
  system,
  owner,
  routes,
}) => {
  const { userId, phone } = owner.client;
  const { tokens, random, database } = system.runtime;
  const claims = { sub: userId, phone, deviceId: 'x', jti: random.uuid() };
  const [operator] = await database.db.adminUser.findMany({ take: 1 });
  const tried = {
    'no token': undefined,
    'an expired one': tokens.sign(claims, -1),
    'one of a customer who is not there': tokens.sign({ ...claims, sub: random.uuid() }, 900),
    "one of an operator's": tokens.sign({ ...claims, sub: operator?.id ?? '' }, 900),
  };
  expect(routes.length).toBeGreaterThan(20);
  for (const route of routes) {
    for (const [name, token] of Object.entries(tried)) {
      const { status, code } = await send(system, system.as(token), route, {});
      expect({ route: route.name, name, status, code }).toEqual({
        route: route.name,
        name,
        status: 401,
        code: 'UNAUTHENTICATED',
      });
    }
  }
});
