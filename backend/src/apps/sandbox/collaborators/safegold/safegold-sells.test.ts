import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSandbox, type OpenSandbox } from '../../testing/open-sandbox.ts';
import {
  balanceOf,
  confirm,
  registerCustomer,
  statusOf,
  verify,
} from '../../testing/safegold-customer.ts';

let open: OpenSandbox;
let userId: string;
let txId: unknown;

const held = 0.3287;

beforeAll(async () => {
  open = await openSandbox();
});

/** A customer with gold, and a sale of 0.1 g that is verified. */
beforeEach(async () => {
  await open.control('POST', '/reset');
  await open.control('PUT', '/price', { buyPaise: 295_363, sellPaise: 286_502 });
  userId = await registerCustomer(open);
  const { body: bought } = await verify(open, 'buy', userId, ['0.3287', '1000']);
  await confirm(open, 'buy', userId, bought['tx_id']);
  const { body: verified } = await verify(open, 'sell', userId, ['0.1000', '286.51']);
  txId = verified['tx_id'];
});

afterAll(() => open.stop());

const fault = (operation: string, kind: string, more: object = {}) =>
  open.control('POST', '/faults', { collaborator: 'safegold', operation, fault: kind, ...more });
const advance = (seconds: number) => open.control('POST', '/clock', { advanceSeconds: seconds });

describe('a verified sale', () => {
  it('moves no gold and can be confirmed for ten minutes', async () => {
    expect(await statusOf(open, 'sell', txId)).toBe(0);
    expect(await balanceOf(open, userId)).toBe(held);
    // Its clock runs on, and a busy machine takes its time.
    await advance(570);
    expect((await confirm(open, 'sell', userId, txId)).body).toHaveProperty('invoice_id');
    expect(await balanceOf(open, userId)).toBe(0.2287);
  });

  it('fails with a blank 200 when it is confirmed later, for good', async () => {
    await advance(601);
    for (let count = 0; count < 2; count += 1) {
      const response = await confirm(open, 'sell', userId, txId);
      expect(response).toMatchObject({ status: 200, text: '' });
      expect(await statusOf(open, 'sell', txId)).toBe(2);
    }
    expect(await balanceOf(open, userId)).toBe(held);
  });

  it('is sold once, however often it is confirmed', async () => {
    const sends = Array.from({ length: 10 }, () => confirm(open, 'sell', userId, txId));
    const response = await Promise.all(sends);
    expect(new Set(response.map(({ text }) => text)).size).toBe(1);
    expect(await balanceOf(open, userId)).toBe(0.2287);
  });

  it('can be in progress: the gold is gone, its end is open', async () => {
    const say = (status: number) =>
      open.control('POST', `/transactions/${String(txId)}`, { status });
    await say(3);
    expect((await confirm(open, 'sell', userId, txId)).body).toHaveProperty('invoice_id');
    expect(await statusOf(open, 'sell', txId)).toBe(3);
    expect(await balanceOf(open, userId)).toBe(0.2287);
    await say(2);
    expect(await balanceOf(open, userId)).toBe(held);
    await say(1);
    expect(await balanceOf(open, userId)).toBe(0.2287);
  });
});

it('the sandbox answers other grams at a verify with that fault', async () => {
  await fault('sell-verify', 'wrong_amount');
  const { body } = await verify(open, 'sell', userId, ['0.1000', '286.51']);
  expect(body).toMatchObject({ gold_amount: 0.1001, sell_price: 286.51 });
});
