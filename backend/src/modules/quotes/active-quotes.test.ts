import { describe, expect } from 'vitest';
import { goldTest } from '#test/support/gold-test.ts';
import type { UntypedCaller } from '#test/support/caller.ts';
import type { OpenGold } from '#test/support/open-gold.ts';

const it = goldTest();

const maxActive = 10;
let keys = 0;

const quote = async (call: UntypedCaller): Promise<string> => {
  const { status, body } = await call('POST', '/gold/quote', { unit: 'INR', amount: '100' });
  expect(status).toBe(201);
  return body.id;
};
const quoteTimes = async (
  open: OpenGold,
  call: UntypedCaller,
  count: number,
): Promise<string[]> => {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) {
    await open.advance(1);
    ids.push(await quote(call));
  }
  return ids;
};
const pay = (call: UntypedCaller, quoteId: string) => {
  keys += 1;
  const key = `active-quotes-${keys}`;
  return call('POST', '/payments/orders', { quote_id: quoteId, idempotency_key: key });
};
const statusesOf = async (open: OpenGold, userId: string): Promise<Record<string, string>> => {
  const rows = await open.database.db.goldQuote.findMany({ where: { userId } });
  return Object.fromEntries(rows.map(({ id, status }) => [id, status]));
};
const activeOf = async (open: OpenGold, userId: string): Promise<string[]> =>
  Object.entries(await statusesOf(open, userId)).flatMap(([id, status]) =>
    status === 'ACTIVE' ? [id] : [],
  );

describe('an eleventh active buy quote', () => {
  it('supersedes the oldest quote, which becomes EXPIRED before its time', async ({ open }) => {
    const { id: userId, call } = await open.newCustomer();
    const ids = await quoteTimes(open, call, maxActive + 2);
    expect((await activeOf(open, userId)).toSorted()).toEqual(ids.slice(2).toSorted());
    const [first = '', , third = ''] = ids;
    expect((await call('GET', `/gold/quote/${first}`)).body).toMatchObject({ status: 'EXPIRED' });
    const refused = await pay(call, first);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'QUOTE_EXPIRED' } } });
    expect(await pay(call, third)).toMatchObject({ status: 201 });
  });

  it('affects only active buy quotes of the same customer', async ({ open }) => {
    const [one, other] = [await open.newCustomer(), await open.newCustomer()];
    const [consumed = ''] = await quoteTimes(open, one.call, 1);
    expect((await pay(one.call, consumed)).status).toBe(201);
    const [others = ''] = await quoteTimes(open, other.call, 1);
    await quoteTimes(open, one.call, maxActive + 1);
    const statuses = await statusesOf(open, one.id);
    expect(statuses[consumed]).toBe('CONSUMED');
    expect(await activeOf(open, one.id)).toHaveLength(maxActive);
    expect(await activeOf(open, other.id)).toEqual([others]);
  });

  it('is counted exactly for 20 concurrent requests', async ({ open }) => {
    const { id: userId, call } = await open.newCustomer();
    await quoteTimes(open, call, 3);
    await Promise.all(Array.from({ length: 20 }, () => quote(call)));
    const statuses = Object.values(await statusesOf(open, userId));
    expect(statuses.filter((status) => status === 'ACTIVE')).toHaveLength(maxActive);
    expect(statuses.filter((status) => status === 'EXPIRED')).toHaveLength(13);
  });

  it('never takes a quote from the payment order that consumes it', async ({ open }) => {
    const { id: userId, call } = await open.newCustomer();
    const ids = await quoteTimes(open, call, maxActive);
    const [payments] = await Promise.all([
      Promise.all(ids.map((id) => pay(call, id))),
      Promise.all(Array.from({ length: maxActive }, () => quote(call))),
    ]);
    const statuses = await statusesOf(open, userId);
    for (const [index, { status, body }] of payments.entries()) {
      const outcome = status === 201 ? 'paid' : body.error.code;
      const outcomes = { CONSUMED: 'paid', EXPIRED: 'QUOTE_EXPIRED' };
      expect({ ...outcomes }).toHaveProperty(statuses[ids[index] ?? ''] ?? '', outcome);
    }
    expect((await activeOf(open, userId)).length).toBeLessThanOrEqual(maxActive);
  });
});
