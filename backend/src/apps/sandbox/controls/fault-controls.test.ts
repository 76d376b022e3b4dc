import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { openSandbox, type OpenSandbox } from '../testing/open-sandbox.ts';
import {
  balanceOf,
  confirm,
  registerCustomer,
  statusOf,
  verify,
} from '../testing/safegold-customer.ts';

let open: OpenSandbox;
let userId: string;
let txId: unknown;

beforeAll(async () => {
  open = await openSandbox();
});
beforeEach(async () => {
  await open.control('POST', '/reset');
  await open.control('PUT', '/price', { buyPaise: 295_363, sellPaise: 286_502 });
  userId = await registerCustomer(open);
  txId = (await verify(open, 'buy', userId, ['0.3287', '1000'])).body['tx_id'];
});
afterAll(() => open.stop());

const addFault = (fault: object) => open.control('POST', '/faults', fault);
const onConfirm = (fault: object) =>
  addFault({ collaborator: 'safegold', operation: 'buy-confirm', ...fault });
const confirmEntries = async () =>
  (await open.control('GET', '/journal?operation=buy-confirm')).body['entries'];
const bought = async () => [await statusOf(open, 'buy', txId), await balanceOf(open, userId)];

describe('each kind of fault', () => {
  it('error: answers without doing the work, 500 unless a status is given', async () => {
    await onConfirm({ fault: 'error' });
    await onConfirm({ fault: 'error', status: 400 });
    const first = await confirm(open, 'buy', userId, txId);
    const second = await confirm(open, 'buy', userId, txId);
    expect([first.status, second.status]).toEqual([500, 400]);
    expect(await bought()).toEqual([0, 0]);
    expect((await confirm(open, 'buy', userId, txId)).status).toBe(200);
    expect(await bought()).toEqual([1, 0.3287]);
  });

  it('error with status 200: a blank answer, no work', async () => {
    await onConfirm({ fault: 'error', status: 200 });
    expect(await confirm(open, 'buy', userId, txId)).toMatchObject({ status: 200, text: '' });
    expect(await bought()).toEqual([0, 0]);
    expect(await confirmEntries()).toMatchObject([{ status: 200, response: '', fault: 'error' }]);
  });

  it('timeout: no answer and no work, then the connection is cut', async () => {
    await onConfirm({ fault: 'timeout', delayMs: 50 });
    await expect(confirm(open, 'buy', userId, txId)).rejects.toThrow('fetch failed');
    expect(await bought()).toEqual([0, 0]);
    expect(await confirmEntries()).toMatchObject([
      { status: null, response: null, fault: 'timeout' },
    ]);
  });

  it('reset: the connection is cut at once, no work', async () => {
    await onConfirm({ fault: 'reset' });
    await expect(confirm(open, 'buy', userId, txId)).rejects.toThrow('fetch failed');
    expect(await bought()).toEqual([0, 0]);
  });

  it('accept_then_timeout: the work is done, the answer never comes', async () => {
    await onConfirm({ fault: 'accept_then_timeout', delayMs: 50 });
    await expect(confirm(open, 'buy', userId, txId)).rejects.toThrow('fetch failed');
    expect(await bought()).toEqual([1, 0.3287]);
    const response = { invoice_id: `SG-B-${String(txId)}` };
    expect(await confirmEntries()).toMatchObject([
      { status: 200, response, fault: 'accept_then_timeout' },
    ]);
  });

  it('slow: works after its delay, whether or not the caller has gone', async () => {
    await onConfirm({ fault: 'slow', delayMs: 1500 });
    const caller = new AbortController();
    const left = fetch(`${open.url}/safegold/v1/users/${userId}/buy-gold-confirm`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer dev-only-safegold-token',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ tx_id: txId }),
      signal: caller.signal,
    });
    // The call has arrived once it has met the fault.
    await eventually(async () =>
      expect((await open.control('GET', '/faults')).body).toMatchObject({ faults: [] }),
    );
    caller.abort();
    await expect(left).rejects.toThrow('aborted');
    expect(await bought()).toEqual([0, 0]);
    await eventually(async () => expect(await bought()).toEqual([1, 0.3287]));
    expect((await confirm(open, 'buy', userId, txId)).status).toBe(200);
  });

  it('hold: works once the faults are cleared', async () => {
    await onConfirm({ fault: 'hold' });
    const held = confirm(open, 'buy', userId, txId);
    await eventually(async () =>
      expect(await confirmEntries()).toMatchObject([{ status: null, fault: 'hold' }]),
    );
    // A removed fault leaves the calls that it met as they are.
    const { body } = await onConfirm({ fault: 'reset' });
    await open.control('DELETE', `/faults/${String(body['id'])}`);
    expect(await bought()).toEqual([0, 0]);
    await open.control('DELETE', '/faults');
    expect((await held).status).toBe(200);
    expect(await bought()).toEqual([1, 0.3287]);
  });

  it('malformed: the work is done, the answer unreadable', async () => {
    await onConfirm({ fault: 'malformed' });
    const { status, text } = await confirm(open, 'buy', userId, txId);
    expect(status).toBe(200);
    expect(() => {
      JSON.parse(text);
    }).toThrow(SyntaxError);
    expect(await bought()).toEqual([1, 0.3287]);
  });

  it('wrong_amount: other grams at verify, the records as they should be', async () => {
    await addFault({ collaborator: 'safegold', operation: 'buy-verify', fault: 'wrong_amount' });
    const { body } = await verify(open, 'buy', userId, ['0.3287', '1000']);
    expect(body).toMatchObject({ gold_amount: 0.3288, buy_price: 1000 });
    await confirm(open, 'buy', userId, body['tx_id']);
    expect(await balanceOf(open, userId)).toBe(0.3287);
  });

  it('wrong_amount: another amount at create-order and in lists', async () => {
    await addFault({ collaborator: 'sandbox-gateway', operation: '*', fault: 'wrong_amount' });
    const order = { amount_paise: 500_000, currency: 'INR', receipt: 'r' };
    const response = await open.gateway('POST', '/v1/orders', order);
    expect(response.body['amount_paise']).toBe(500_100);
    const { body } = await open.gateway('GET', `/v1/orders/${String(response.body['id'])}`);
    expect(body['amount_paise']).toBe(500_000);
    await addFault({ collaborator: 'sandbox-gateway', fault: 'wrong_amount' });
    const found = await open.gateway('GET', '/v1/orders?receipt=r');
    expect(found.body['items']).toMatchObject([{ amount_paise: 500_100 }]);
  });
});

describe('which calls a fault meets', () => {
  it('so many, then none', async () => {
    await onConfirm({ fault: 'error', status: 503, times: 2 });
    const { body } = await open.control('GET', '/faults');
    expect(body['faults']).toMatchObject([{ fault: 'error', remaining: 2, status: 503 }]);
    await confirm(open, 'buy', userId, txId);
    expect((await open.control('GET', '/faults')).body['faults']).toMatchObject([{ remaining: 1 }]);
    await confirm(open, 'buy', userId, txId);
    expect((await open.control('GET', '/faults')).body).toEqual({ faults: [] });
    expect((await confirm(open, 'buy', userId, txId)).status).toBe(200);
  });

  it('of its own party and operation, or of each for *', async () => {
    await addFault({ collaborator: 'msg91', operation: '*', fault: 'error' });
    await onConfirm({ fault: 'error' });
    expect((await open.safegold('GET', '/v1/buy-price')).status).toBe(200);
    expect((await confirm(open, 'buy', userId, txId)).status).toBe(500);
    expect((await open.msg91('POST', '/api/v5/flow', {})).status).toBe(500);
    expect((await open.msg91('POST', '/api/v5/flow', {})).status).toBe(200);
  });

  it('none once it is cleared, alone or with all', async () => {
    const { body } = await onConfirm({ fault: 'error' });
    await addFault({ collaborator: 'safegold', operation: 'buy-status', fault: 'error' });
    const response = await open.control('DELETE', `/faults/${String(body['id'])}`);
    expect(response.body['faults']).toMatchObject([{ operation: 'buy-status' }]);
    expect((await open.control('DELETE', '/faults/nothing')).status).toBe(404);
    await open.control('DELETE', '/faults');
    expect(await statusOf(open, 'buy', txId)).toBe(0);
  });

  it('all twelve kinds, at every operation', async () => {
    const { body } = await open.control('GET', '/overview');
    const parties = body['collaborators'] as { name: string; operations: string[] }[];
    const kinds = body['faultKinds'] as string[];
    expect(kinds).toHaveLength(12);
    for (const { name, operations } of parties) {
      for (const operation of ['*', ...operations]) {
        for (const fault of kinds) {
          const response = await addFault({ collaborator: name, operation, fault });
          expect(response.status).toBe(201);
        }
      }
    }
  });

  it.each([
    ['collaborator', 'nobody'],
    ['operation', 'dance'],
    ['fault', 'flood'],
    ['times', 0],
    ['status', 99],
    ['delayMs', -1],
  ])('refuses a fault whose %s is %s', async (field, value) => {
    const response = await onConfirm({ fault: 'error', [field]: value });
    expect(response).toMatchObject({
      status: 400,
      body: { error: { code: 'VALIDATION_FAILED', field } },
    });
  });
});
