import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addMs, createSystemClock, msBetween } from '../../../platform/clock/clock.ts';
import { openSandbox, type OpenSandbox } from '../testing/open-sandbox.ts';
import {
  balanceOf,
  confirm,
  registerCustomer,
  statusOf,
  verify,
} from '../testing/safegold-customer.ts';

let open: OpenSandbox;

beforeAll(async () => {
  open = await openSandbox();
});
beforeEach(() => open.control('POST', '/reset'));
afterAll(() => open.stop());

const system = createSystemClock();
/** Requests the time. It is that many milliseconds ahead of a moment during the request. */
const expectAhead = async (aheadMs: number): Promise<void> => {
  const before = system.now();
  const { body } = await open.control('GET', '/clock');
  const now = addMs(new Date(String(body['now'])), -aheadMs).getTime();
  expect(now).toBeGreaterThanOrEqual(before.getTime());
  expect(now).toBeLessThanOrEqual(system.now().getTime());
};

describe('/_control/clock', () => {
  it('shows real time until it is moved', async () => {
    expect((await open.control('GET', '/clock')).body['offsetSeconds']).toBe(0);
    await expectAhead(0);
  });

  it('advances, adds up, goes back, and returns to real time', async () => {
    await open.control('POST', '/clock', { advanceSeconds: 600 });
    const { body } = await open.control('POST', '/clock', { advanceSeconds: -0.5 });
    expect(body['offsetSeconds']).toBe(599.5);
    await expectAhead(599_500);
    const response = await open.control('DELETE', '/clock');
    expect(response.body['offsetSeconds']).toBe(0);
  });

  it('is set to a time and ticks on from there', async () => {
    const before = system.now();
    const response = await open.control('POST', '/clock', { set: '2030-01-01T05:30:00+05:30' });
    const now = String(response.body['now']);
    expect(now).toMatch(/^2030-01-01T00:\d\d:\d\d\.\d{3}Z$/u);
    const sinceMs = msBetween(new Date('2030-01-01T00:00:00.000Z'), new Date(now));
    expect(sinceMs).toBeGreaterThanOrEqual(0);
    expect(sinceMs).toBeLessThanOrEqual(msBetween(before, system.now()));
  });

  it.each([
    [{}],
    [{ advanceSeconds: 1, set: '2030-01-01T00:00:00Z' }],
    [{ advanceSeconds: '1' }],
    [{ advanceSeconds: 1e12 }],
    [{ set: 'tomorrow' }],
  ])('refuses %j', async (body) => {
    const response = await open.control('POST', '/clock', body);
    expect(response).toMatchObject({
      status: 400,
      body: {
        error: {
          code: 'VALIDATION_FAILED',
          field: expect.any(String),
          requestId: expect.any(String),
        },
      },
    });
  });
});

describe('/_control/price', () => {
  it('moves a little around INR 12,345.67, the same at the same time', async () => {
    await open.control('POST', '/clock', { set: '2026-11-21T06:00:00Z' });
    const first = await open.control('GET', '/price');
    const { buyPaise, sellPaise, isFixed } = first.body;
    expect(isFixed).toBe(false);
    expect(Math.abs(Number(buyPaise) - 1_234_567)).toBeLessThan(2000);
    expect(Number(sellPaise) / Number(buyPaise)).toBeCloseTo(0.97, 4);
    await open.control('POST', '/clock', { set: '2026-11-21T06:01:40Z' });
    expect((await open.control('GET', '/price')).body['buyPaise']).not.toBe(buyPaise);
    await open.control('POST', '/clock', { set: '2026-11-21T06:00:00Z' });
    expect((await open.control('GET', '/price')).body).toEqual(first.body);
  });

  it('stays as it was set until it is reset', async () => {
    const prices = { buyPaise: 1_000_001, sellPaise: 970_000, spotPaise: 990_000 };
    const response = await open.control('PUT', '/price', prices);
    expect(response.body).toEqual({ ...prices, isFixed: true });
    const { body } = await open.safegold('GET', '/v1/buy-price');
    expect(body).toMatchObject({ current_price: 10_000.01, spot_price: 9900 });
    expect((await open.control('DELETE', '/price')).body['isFixed']).toBe(false);
  });

  it('refuses what is no price', async () => {
    const response = await open.control('PUT', '/price', { buyPaise: 1.5, sellPaise: 1 });
    expect(response).toMatchObject({ status: 400, body: { error: { field: 'buyPaise' } } });
  });
});

describe('/_control/transactions', () => {
  it("changes a transaction's status, and the balance with it", async () => {
    await open.control('PUT', '/price', { buyPaise: 295_363, sellPaise: 286_502 });
    const userId = await registerCustomer(open);
    const { body } = await verify(open, 'buy', userId, ['0.3287', '1000']);
    const txId = String(body['tx_id']);
    await open.control('POST', `/transactions/${txId}`, { status: 2 });
    expect((await confirm(open, 'buy', userId, txId)).text).toBe('');
    expect(await statusOf(open, 'buy', txId)).toBe(2);
    const response = await open.control('POST', `/transactions/${txId}`, { status: 1 });
    expect(response.body).toMatchObject({ grams: '0.3287', amountPaise: 100_000, status: 1 });
    expect(await balanceOf(open, userId)).toBe(0.3287);
    const sold = await verify(open, 'sell', userId, ['0.1', '286.51']);
    await open.control('POST', `/transactions/${String(sold.body['tx_id'])}`, { status: 3 });
    expect(await statusOf(open, 'sell', sold.body['tx_id'])).toBe(3);
    expect(await balanceOf(open, userId)).toBe(0.2287);
    const { body: listed } = await open.control('GET', '/transactions');
    expect(listed['items']).toMatchObject([{ side: 'sell', status: 3 }, { side: 'buy' }]);
  });

  it('refuses another word, and knows no other transaction', async () => {
    expect((await open.control('POST', '/transactions/1', { status: 4 })).status).toBe(400);
    expect((await open.control('POST', '/transactions/1', { status: 1 })).status).toBe(404);
  });
});

describe('/_control/journal', () => {
  it('holds every call in order, without credentials', async () => {
    await open.safegold('GET', '/v1/buy-price');
    const order = { amount_paise: 100, currency: 'INR', receipt: 'receipt-1' };
    await open.gateway('POST', '/v1/orders', order);
    await open.safegold('GET', '/v1/nowhere?page=1&session_token=hush');
    await fetch(`${open.url}/msg91/api/v5/otp?authkey=hush`, { method: 'POST', body: 'no json' });
    const { body, text } = await open.control('GET', '/journal');
    expect(body['entries']).toMatchObject([
      { collaborator: 'safegold', operation: 'buy-price', method: 'GET', body: null, status: 200 },
      {
        collaborator: 'sandbox-gateway',
        operation: 'create-order',
        path: '/gateway/v1/orders',
        idempotencyKey: 'receipt-1',
        body: order,
        response: { receipt: 'receipt-1', status: 'created' },
      },
      { operation: 'unknown', path: '/safegold/v1/nowhere?page=1', status: 404 },
      {
        operation: 'send',
        path: '/msg91/api/v5/otp',
        body: 'no json',
        response: { type: 'error' },
      },
    ]);
    expect(text).not.toMatch(/hush|Bearer|Basic|dev-only/u);
    const seqs = (body['entries'] as { seq: number }[]).map(({ seq }) => seq);
    expect(seqs).toEqual([...seqs].toSorted((a, b) => a - b));
  });

  it('is filtered by party, operation and place', async () => {
    await open.safegold('GET', '/v1/buy-price');
    await open.safegold('GET', '/v1/sell-price');
    await open.safegold('GET', '/v1/buy-price');
    const entries = async (query: string) =>
      (await open.control('GET', `/journal${query}`)).body['entries'] as { seq: number }[];
    expect(await entries('?collaborator=msg91')).toEqual([]);
    const buys = await entries('?collaborator=safegold&operation=buy-price');
    expect(buys).toHaveLength(2);
    expect(await entries(`?after=${buys[0]?.seq ?? 0}`)).toHaveLength(2);
    expect((await open.control('GET', '/journal?after=x')).status).toBe(400);
  });
});

describe('an unknown control', () => {
  it('is 404 in the shared envelope, and malformed JSON is 400', async () => {
    const response = await open.control('GET', '/nothing');
    expect(response).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    const headers = { 'content-type': 'application/json' };
    const url = `${open.url}/_control/clock`;
    const broken = await fetch(url, { method: 'POST', headers, body: '{' });
    expect(broken.status).toBe(400);
    const plain = await fetch(url, { method: 'POST', body: '{"advanceSeconds":1}' });
    expect(plain.status).toBe(415);
  });
});
