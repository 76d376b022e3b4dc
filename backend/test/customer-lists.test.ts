import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCustomerApi, type OpenCustomerApi } from '#test/support/open-customer-api.ts';
import { addMs } from '../src/platform/clock/clock.ts';

let open: OpenCustomerApi;

beforeAll(async () => {
  open = await openCustomerApi();
});

afterAll(() => open.close());

it('the API narrows every list of a customer to what began between two moments', async () => {
  const person = await open.knownPerson();
  await open.buy(person, '2000');
  await open.sell(person, '0.0500');
  await open.orderJewellery(person);
  const at = open.system.clock.now();
  const [before, after] = [addMs(at, -3_600_000), addMs(at, 3_600_000)].map((one) =>
    one.toISOString(),
  );
  const lists = {
    '/gold/orders': 2,
    '/portfolio/history': 2,
    '/product-orders': 1,
    '/payouts': 1,
    '/transactions': 4,
  };
  for (const [path, count] of Object.entries(lists)) {
    const totalOf = async (query: string) => (await person.call('GET', `${path}?${query}`)).body;
    const around = await totalOf(`from=${before}&to=${after}`);
    expect({ path, ...around }).toMatchObject({ path, total: count, page: 1, limit: 20 });
    expect(around).not.toHaveProperty('from');
    expect({ path, ...(await totalOf(`from=${after}`)) }).toMatchObject({ path, total: 0 });
    expect({ path, ...(await totalOf(`to=${before}`)) }).toMatchObject({ path, total: 0 });
    expect((await person.call('GET', `${path}?from=yesterday`)).status).toBe(400);
  }
  const told = (await person.call('GET', `/notifications?to=${before}`)).body;
  expect(told).toMatchObject({ total: 0 });
});
