import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { startSandbox } from './start-sandbox.ts';
import { openSandbox } from './testing/open-sandbox.ts';
import {
  balanceOf,
  confirm,
  registerCustomer,
  statusOf,
  verify,
} from './testing/safegold-customer.ts';
import { receiveWebhooks } from './testing/webhook-receiver.ts';

let stateDir: string;

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'sandbox-'));
});
afterEach(() => rmSync(stateDir, { recursive: true }));

const statePath = () => join(stateDir, 'sandbox-books.json');

describe('records in a directory', () => {
  it('outlive the process: customers, rates, transactions, orders, payments, clock, price', async () => {
    const first = await openSandbox({ stateDir });
    await first.control('PUT', '/price', { buyPaise: 295_363, sellPaise: 286_502 });
    await first.control('POST', '/clock', { advanceSeconds: 3600 });
    const userId = await registerCustomer(first);
    const bought = (await verify(first, 'buy', userId, ['0.3287', '1000'])).body['tx_id'];
    await confirm(first, 'buy', userId, bought);
    const open = (await verify(first, 'buy', userId, ['0.2345', '713.41'])).body['tx_id'];
    const { body: quoted } = await first.safegold('GET', '/v1/buy-price');
    const order = { amount_paise: 100, currency: 'INR', receipt: 'receipt-1' };
    const { body: made } = await first.gateway('POST', '/v1/orders', order);
    const path = `/payments/${String(made['id'])}`;
    const { body: paid } = await first.control('POST', path, {
      outcome: 'captured',
      deliver: 'none',
    });
    await first.control('POST', `/refunds/${String(paid['gateway_payment_id'])}`, {});
    await first.stop();
    expect(statSync(statePath()).mode & 0o777).toBe(0o600);

    const second = await openSandbox({ stateDir });
    try {
      expect(await balanceOf(second, userId)).toBe(0.3287);
      expect(await registerCustomer(second)).toBe(userId);
      expect(await statusOf(second, 'buy', open)).toBe(0);
      expect((await confirm(second, 'buy', userId, open)).status).toBe(200);
      const fresh = await second.safegold('POST', `/v4/users/${userId}/buy-gold-verify`, {
        rate_id: quoted['rate_id'],
        gold_amount: 0.3287,
        buy_price: 1000,
      });
      expect(Number(fresh.body['tx_id'])).toBeGreaterThan(Number(open));
      expect((await second.control('GET', '/clock')).body['offsetSeconds']).toBe(3600);
      expect((await second.control('GET', '/price')).body['isFixed']).toBe(true);
      const again = await second.gateway('POST', '/v1/orders', order);
      expect(again.body).toMatchObject({ id: made['id'], status: 'paid' });
      const refunds = `/v1/payments/${String(paid['gateway_payment_id'])}/refunds`;
      expect((await second.gateway('GET', refunds)).body['items']).toHaveLength(1);
    } finally {
      await second.stop();
    }
  });

  it('are saved behind the changes, not only at the end', async () => {
    const open = await openSandbox({ stateDir });
    try {
      await registerCustomer(open, '9876512345');
      await eventually(() => expect(readFileSync(statePath(), 'utf8')).toContain('9876512345'));
    } finally {
      await open.stop();
    }
  });

  it('keep what was under way: an unsent webhook is sent, an open debit ends', async () => {
    const first = await openSandbox({ stateDir, customerBaseUrl: 'http://127.0.0.1:9' });
    const order = { amount_paise: 100, currency: 'INR', receipt: 'receipt-1' };
    const orderId = String((await first.gateway('POST', '/v1/orders', order)).body['id']);
    await first.control('POST', `/payments/${orderId}`, { outcome: 'failed' });
    const debit = { order_id: orderId, mandate_token: 'token', amount_paise: 100 };
    await first.gateway('POST', '/v1/debits', debit);
    await first.stop();

    const service = await receiveWebhooks();
    const second = await openSandbox({ stateDir, customerBaseUrl: service.url, settleMs: 20 });
    try {
      await eventually(() => expect(service.received).toHaveLength(3));
      const events = service.received.map(({ event }) => event).toSorted();
      expect(events).toEqual(['order.paid', 'payment.captured', 'payment.failed']);
    } finally {
      await second.stop();
      await service.stop();
    }
  });

  it('of another version are refused rather than lost', async () => {
    writeFileSync(statePath(), '{"version":0}');
    await expect(startSandbox({ stateDir })).rejects.toThrow('another version');
  });
});

describe('ids without records', () => {
  it('are not given out again by a later sandbox', async () => {
    const ids: number[] = [];
    for (let count = 0; count < 2; count += 1) {
      const open = await openSandbox();
      ids.push(Number(await registerCustomer(open)));
      await open.stop();
    }
    expect(ids[1]).toBeGreaterThan(ids[0] ?? 0);
  });
});

describe('stopping', () => {
  it('cuts what hangs, and is ready until then', async () => {
    const { url, sandbox, control, safegold } = await openSandbox();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const fault = { collaborator: 'safegold', operation: 'buy-price', fault: 'timeout' };
    await control('POST', '/faults', fault);
    const hanging = safegold('GET', '/v1/buy-price').catch((error: unknown) => error);
    await eventually(async () => {
      const { body } = await control('GET', '/journal');
      expect(body['entries']).toHaveLength(1);
    });
    await sandbox.stop();
    expect(String(await hanging)).toContain('fetch failed');
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
  });

  it('says that a port is taken', async () => {
    const { url, stop } = await openSandbox();
    const port = Number(new URL(url).port);
    await expect(startSandbox({ port })).rejects.toThrow('EADDRINUSE');
    await stop();
  });
});
