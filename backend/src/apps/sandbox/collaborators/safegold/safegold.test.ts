import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCaller, openSandbox, type OpenSandbox } from '../../testing/open-sandbox.ts';
import {
  balanceOf,
  confirm,
  registerCustomer,
  statusOf,
  verify,
} from '../../testing/safegold-customer.ts';

let open: OpenSandbox;

beforeAll(async () => {
  open = await openSandbox();
});

beforeEach(async () => {
  await open.control('POST', '/reset');
  const prices = { buyPaise: 295_363, sellPaise: 286_502, spotPaise: 290_000 };
  await open.control('PUT', '/price', prices);
});

afterAll(() => open.stop());

const buy = async (userId: string, figures: readonly [string, string]): Promise<unknown> => {
  const { body } = await verify(open, 'buy', userId, figures);
  await confirm(open, 'buy', userId, body['tx_id']);
  return body['tx_id'];
};

describe('callers', () => {
  it('needs the token, in the header or the query', async () => {
    expect((await createCaller(`${open.url}/safegold`)('GET', '/v1/buy-price')).status).toBe(401);
    const wrong = createCaller(`${open.url}/safegold`, { authorization: 'Bearer of-nothing' });
    expect((await wrong('GET', '/v1/buy-price')).status).toBe(401);
    const query = '?session_token=dev-only-safegold-token';
    const response = await createCaller(`${open.url}/safegold`)('GET', `/v1/sell-price${query}`);
    expect(response.status).toBe(200);
    expect(JSON.stringify(await open.control('GET', '/journal'))).not.toContain('dev-only');
  });
});

describe('prices', () => {
  it('quotes a buy rate before tax, good for seven minutes', async () => {
    await open.control('POST', '/clock', { set: '2026-11-21T06:00:00Z' });
    const { body, text } = await open.safegold('GET', '/v1/buy-price');
    expect(body).toMatchObject({ current_price: 2953.63, applicable_tax: 3, spot_price: 2900 });
    expect(body['rate_validity']).toBe('2026-11-21 11:37:00');
    expect(text).toContain('"spot_price":2900.00');
  });

  it('quotes a sell rate, each with an id of its own', async () => {
    const first = await open.safegold('GET', '/v1/sell-price');
    const second = await open.safegold('GET', '/v1/sell-price');
    expect(first.body).toMatchObject({ current_price: 2865.02 });
    expect(first.body['rate_id']).not.toBe(second.body['rate_id']);
  });
});

describe('customers', () => {
  it('registers a number once', async () => {
    const body = { name: 'Asha', mobile_no: '+919876543210', pin_code: 560001, email: 'a@b.in' };
    const first = await open.safegold('POST', '/v1/users', body);
    const again = await open.safegold('POST', '/v1/users', {
      ...body,
      mobile_no: '9876543210',
      name: 'Somebody',
    });
    expect(first.body).toMatchObject({ name: 'Asha', mobile_no: '9876543210', gold_balance: 0 });
    expect(again.body).toEqual(first.body);
  });

  it('refuses a registration without a number, and does not know strangers', async () => {
    const response = await open.safegold('POST', '/v1/users', { name: 'Asha', pin_code: 560001 });
    expect(response).toMatchObject({ status: 400, body: { code: 1 } });
    expect((await open.safegold('GET', '/v1/users/12345')).status).toBe(404);
  });

  it('takes a KYC update', async () => {
    const userId = await registerCustomer(open);
    const { body } = await open.safegold('POST', `/v1/users/${userId}/kyc-update`, {
      kyc_requirement: { pan_no: 'ABCPE1234F', identity_no: '999941057058' },
    });
    expect(body['kyc_requirement']).toEqual({ identity_required: 0, pan_required: 0 });
  });
});

describe('buying', () => {
  it('verifies, confirms and credits', async () => {
    const userId = await registerCustomer(open);
    const verified = await verify(open, 'buy', userId, ['0.3287', '1000.00']);
    expect(verified.body).toMatchObject({
      sg_rate: 2953.63,
      gold_amount: 0.3287,
      buy_price: 1000,
      pre_gst_buy_price: 970.87,
      gst_amount: 29.13,
    });
    const txId = verified.body['tx_id'];
    expect(await statusOf(open, 'buy', txId)).toBe(0);
    expect(await balanceOf(open, userId)).toBe(0);
    const confirmed = await confirm(open, 'buy', userId, txId);
    expect(confirmed.body).toEqual({ invoice_id: `SG-B-${String(txId)}` });
    expect(await statusOf(open, 'buy', txId)).toBe(1);
    expect(await balanceOf(open, userId)).toBe(0.3287);
  });

  it('never buys twice, however often it is confirmed', async () => {
    const userId = await registerCustomer(open);
    const { body } = await verify(open, 'buy', userId, ['0.2345', '713.41']);
    const txId = body['tx_id'];
    const response = await Promise.all(
      Array.from({ length: 10 }, () => confirm(open, 'buy', userId, txId)),
    );
    expect(new Set(response.map(({ text }) => text)).size).toBe(1);
    expect(await balanceOf(open, userId)).toBe(0.2345);
  });

  it.each([
    ['a figure that is missing', { gold_amount: undefined }, 1],
    ['a figure that is none', { gold_amount: '1e3' }, 1],
    ['grams that the rupees do not buy', { gold_amount: 0.3288 }, 4],
    ['rupees that the grams do not cost', { buy_price: 999.98 }, 4],
    ['a rate nobody quoted', { rate_id: 7 }, 8],
  ])('refuses %s', async (_what, change, code) => {
    const userId = await registerCustomer(open);
    const { body: price } = await open.safegold('GET', '/v1/buy-price');
    const figures = { rate_id: price['rate_id'], gold_amount: 0.3287, buy_price: 1000 };
    const path = `/v4/users/${userId}/buy-gold-verify`;
    const response = await open.safegold('POST', path, { ...figures, ...change });
    expect(response).toMatchObject({ status: 400, body: { code } });
  });

  it('refuses a rate past its seven minutes and one of the other side', async () => {
    const userId = await registerCustomer(open);
    const path = `/v4/users/${userId}/buy-gold-verify`;
    const figures = { gold_amount: 0.3287, buy_price: 1000 };
    const { body: sold } = await open.safegold('GET', '/v1/sell-price');
    const other = await open.safegold('POST', path, { ...figures, rate_id: sold['rate_id'] });
    expect(other.body).toMatchObject({ code: 2 });
    const { body: price } = await open.safegold('GET', '/v1/buy-price');
    await open.control('POST', '/clock', { advanceSeconds: 421 });
    const late = await open.safegold('POST', path, { ...figures, rate_id: price['rate_id'] });
    expect(late).toMatchObject({ status: 400, body: { code: 8 } });
  });

  it('fails a confirm after ten minutes with a blank 200', async () => {
    const userId = await registerCustomer(open);
    const { body } = await verify(open, 'buy', userId, ['0.3287', '1000']);
    await open.control('POST', '/clock', { advanceSeconds: 601 });
    expect(await statusOf(open, 'buy', body['tx_id'])).toBe(0);
    const response = await confirm(open, 'buy', userId, body['tx_id']);
    expect(response).toMatchObject({ status: 200, text: '' });
    expect(await statusOf(open, 'buy', body['tx_id'])).toBe(2);
    expect(await balanceOf(open, userId)).toBe(0);
  });

  it("refuses to confirm nothing, a stranger's transaction and a sale", async () => {
    const userId = await registerCustomer(open);
    const stranger = await registerCustomer(open, '9876500000');
    const { body } = await verify(open, 'buy', userId, ['0.3287', '1000']);
    const txId = body['tx_id'];
    const tries = [
      await confirm(open, 'buy', userId, undefined),
      await confirm(open, 'buy', userId, 99),
      await confirm(open, 'sell', userId, txId),
      await confirm(open, 'buy', stranger, txId),
      await confirm(open, 'buy', '5', txId),
    ];
    expect(tries.map((response) => [response.status, response.body['code']])).toEqual([
      [400, 1],
      [400, 2],
      [400, 2],
      [400, 3],
      [400, 5],
    ]);
    expect(await statusOf(open, 'buy', txId)).toBe(0);
  });
});

describe('selling', () => {
  it('verifies, confirms and debits', async () => {
    const userId = await registerCustomer(open);
    await buy(userId, ['0.3287', '1000']);
    const { body } = await verify(open, 'sell', userId, ['0.1000', '286.51']);
    expect(body).toMatchObject({ rate: 2865.02, gold_amount: 0.1, sell_price: 286.51 });
    const txId = body['tx_id'];
    const response = await confirm(open, 'sell', userId, txId);
    expect(response.body).toEqual({ invoice_id: `SG-S-${String(txId)}` });
    await confirm(open, 'sell', userId, txId);
    expect(await statusOf(open, 'sell', txId)).toBe(1);
    expect(await balanceOf(open, userId)).toBe(0.2287);
  });

  it('refuses what does not add up, is not there or is too little', async () => {
    const userId = await registerCustomer(open);
    await buy(userId, ['0.3287', '1000']);
    const codes = [
      (await verify(open, 'sell', userId, ['0.1', '286.50'])).body['code'],
      (await verify(open, 'sell', userId, ['0.3288', '942.02'])).body['code'],
      (await verify(open, 'sell', userId, ['0.0001', '0.29'])).body['code'],
    ];
    expect(codes).toEqual([5, 4, 5]);
    const stale = { rate_id: 1, gold_amount: 0.1, sell_price: 286.51 };
    const path = `/v4/users/${userId}/sell-gold-verify`;
    expect((await open.safegold('POST', path, stale)).body['code']).toBe(6);
  });

  it('does not sell the same gold twice', async () => {
    const userId = await registerCustomer(open);
    await buy(userId, ['0.3287', '1000']);
    const first = await verify(open, 'sell', userId, ['0.3', '859.51']);
    const second = await verify(open, 'sell', userId, ['0.3', '859.51']);
    expect((await confirm(open, 'sell', userId, first.body['tx_id'])).status).toBe(200);
    const response = await confirm(open, 'sell', userId, second.body['tx_id']);
    expect(response).toMatchObject({ status: 400, body: { code: 7 } });
    expect(await balanceOf(open, userId)).toBe(0.0287);
  });
});

describe('papers', () => {
  it('gives a link to the invoice, which opens', async () => {
    const userId = await registerCustomer(open);
    const { body } = await verify(open, 'buy', userId, ['0.3287', '1000']);
    const path = `/v1/transactions/${String(body['tx_id'])}/fetch-invoice`;
    expect(await open.safegold('GET', path)).toMatchObject({ status: 400, body: { code: 1 } });
    await confirm(open, 'buy', userId, body['tx_id']);
    const { body: invoice } = await open.safegold('GET', path);
    const file = await fetch(String(invoice['link']));
    expect(file.headers.get('content-type')).toBe('application/pdf');
    expect(await file.text()).toMatch(/^%PDF-1\.4[\s\S]+Gold bought: 0\.3287 g/u);
    expect((await fetch(`${String(invoice['link'])}x`)).status).toBe(404);
  });

  it('lists settled transactions newest first, a page at a time', async () => {
    const userId = await registerCustomer(open);
    const ids: unknown[] = [];
    for (let count = 0; count < 21; count += 1) ids.push(await buy(userId, ['0.3287', '1000']));
    await verify(open, 'buy', userId, ['0.3287', '1000']);
    const { body } = await open.safegold('GET', `/v1/users/${userId}/transactions`);
    expect(body['meta']).toEqual({
      previous: null,
      next: `/v1/users/${userId}/transactions?page=2`,
    });
    expect(body['transactions']).toHaveLength(20);
    const newest = { tx_id: ids.at(-1), type: 'buy', gold_amount: 0.3287, buy_price: 1000 };
    expect(body['transactions']).toMatchObject({ 0: newest });
    const second = await open.safegold('GET', `/v1/users/${userId}/transactions?page=2`);
    expect(second.body['transactions']).toHaveLength(1);
    expect(second.body['transactions']).toMatchObject({ 0: { tx_id: ids[0] } });
  });
});

describe('KYC thresholds, where they are enforced', () => {
  it('needs an identity above 30 g and a PAN above 50 g', async () => {
    const strict = await openSandbox({ enforcesKycLimits: true });
    try {
      await strict.control('PUT', '/price', { buyPaise: 100_000, sellPaise: 97_000 });
      const userId = await registerCustomer(strict);
      const grams = async (weight: string, rupees: string) =>
        (await verify(strict, 'buy', userId, [weight, rupees])).body['code'];
      expect(await grams('30', '30900')).toBeUndefined();
      expect(await grams('30.1', '31003')).toBe(6);
      expect(await grams('50.1', '51603')).toBe(7);
      const given = { kyc_requirement: { pan_no: 'ABCPE1234F', identity_no: '999941057058' } };
      await strict.safegold('POST', `/v1/users/${userId}/kyc-update`, given);
      expect(await grams('50.1', '51603')).toBeUndefined();
    } finally {
      await strict.stop();
    }
  });
});
