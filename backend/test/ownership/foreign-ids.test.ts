import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer } from '#test/support/caller.ts';
import { openRunningSystem, type RunningSystem } from '#test/support/open-running-system.ts';
import type { Call } from '#test/support/test-customer.ts';
import { newSeller, type TestSeller } from '#test/support/test-seller.ts';
import {
  createOwner,
  foreignNames,
  makerOf,
  namedInBodies,
  type Owner,
} from './customer-resources.ts';
import { readRoutes, type DocumentedRoute } from '../hostile/openapi-document.ts';

let system: RunningSystem;
let owner: Owner;
let otherSeller: TestSeller;
/** Every route of the customer API that needs a token. */
let routes: DocumentedRoute[];

beforeAll(async () => {
  system = await openRunningSystem();
  [owner, otherSeller] = await Promise.all([createOwner(system), newSeller(system)]);
  const all = await readRoutes(system.stack.urlOf('customer'));
  routes = all.filter(({ isPublic }) => !isPublic);
});
afterAll(() => system.stop());

const below = ({ path }: DocumentedRoute): string => path.replace(/^\/v1/u, '');
const withIds = () => routes.filter(({ path }) => path.includes('{'));

const fieldsThatName = (): { route: DocumentedRoute; name: string }[] =>
  routes.flatMap((route) =>
    Object.entries(route.body?.properties ?? {})
      .filter(([field, { format }]) => format === 'uuid' || /(?:_id|Id|Key)$/u.test(field))
      .map(([field]) => ({ route, name: `${route.method} ${below(route)} ${field}` }))
      .filter(({ name }) => !foreignNames.has(name)),
  );

const send = (
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

it('has a maker for every id in a path and in a body', () => {
  expect(withIds().length).toBeGreaterThan(8);
  const missing = withIds().filter((route) => makerOf(below(route)) === undefined);
  expect(missing.map(({ name }) => name)).toEqual([]);
  const names = fieldsThatName().map(({ name }) => name);
  expect(names.filter((name) => namedInBodies[name] === undefined)).toEqual([]);
  expect(Object.keys(namedInBodies).filter((name) => !names.includes(name))).toEqual([]);
});

it("answers another customer's id in a path as one that does not exist", async () => {
  for (const route of withIds()) {
    const { params, body } = (await makerOf(below(route))?.(owner)) ?? { params: {} };
    const unknown = Object.keys(params).map((name) => [name, system.runtime.random.uuid()]);
    const foreign = await send(otherSeller.client.call, route, params, body);
    expect(foreign, `at ${route.name}`).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    const absent = await send(otherSeller.client.call, route, Object.fromEntries(unknown), body);
    expect(errorOf(foreign), `at ${route.name}`).toEqual(errorOf(absent));
    // The id is good, and what it names is there still: to its owner it is something.
    const own = await send(owner.client.call, route, params, body);
    expect(own.status, `${route.name} by its owner`).not.toBe(404);
    expect(own.status, `${route.name} by its owner`).toBeLessThan(500);
  }
});

it("refuses another customer's id in a body", async () => {
  for (const { route, name } of fieldsThatName()) {
    const { body, refusal } = namedInBodies[name] ?? {};
    const foreign = await send(
      otherSeller.client.call,
      route,
      {},
      await body?.(owner, otherSeller),
    );
    expect(foreign, `at ${name}`).toMatchObject(refusal ?? {});
    const own = await send(owner.client.call, route, {}, await body?.(owner, owner));
    expect(own.status, `${name} by its owner`).toBeLessThan(500);
    expect(own, `${name} by its owner`).not.toMatchObject(refusal ?? {});
  }
});

it('admits nobody to a route that needs a customer, but who shows a token of one', async () => {
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
      const { status, code } = await send(system.as(token), route, {});
      expect({ route: route.name, name, status, code }).toEqual({
        route: route.name,
        name,
        status: 401,
        code: 'UNAUTHENTICATED',
      });
    }
  }
});
