import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import type { RunningSystem } from '../../backend/test/support/open-running-system.ts';
import { runningTest } from '../../backend/test/support/running-test.ts';
import {
  requestSale,
  newSeller,
  payoutBecomes,
  soldOf,
} from '../../backend/test/support/test-seller.ts';
import { repository, writeStackHome, type StackHome } from './support/stack-home.ts';
import { runInProcess, type RunOptions } from './support/run-in-process.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

/** With the home of an operator whose stack this is. */
const it = runningTest({ withAdmin: true, checked: 'at the end' }).extend(
  'home',
  { scope: 'file' },
  async ({ system }, { onCleanup }) => {
    const home = await writeStackHome(system.stack);
    onCleanup(() => home.remove());
    return home;
  },
);

const goldctl = (home: StackHome, args: readonly string[], more: RunOptions = {}) =>
  runInProcess(args, { now: new Date(), ...more, repository, env: { ...home.env, ...more.env } });

const readSwitch = (system: RunningSystem, name: string): string =>
  readFileSync(join(system.stack.addresses.settingsDir, name), 'utf8');

describe('an order of the running system', () => {
  it('is shown from the buy to the paid payout of its gold', async ({ system, home }) => {
    const seller = await newSeller(system);
    const sold = soldOf(await requestSale(seller, '0.0300'));
    await payoutBecomes(seller, sold.payout.id, 'PAID');
    await seller.client.becomes(sold.order.id, 'COMPLETED');
    const asJson = await goldctl(home, ['order', 'show', sold.order.id, '-o', 'json']);
    expect(asJson.code).toBe(0);
    const shown: unknown = JSON.parse(asJson.stdout);
    expect(shown).toMatchObject({
      id: sold.order.id,
      type: 'SELL',
      status: 'COMPLETED',
      proceeds_paise: sold.order.proceeds_paise,
      payout: { id: sold.payout.id, status: 'PAID', amountPaise: sold.payout.amountPaise },
      events: [
        { from: null, to: 'PENDING' },
        { from: 'PENDING', to: 'VERIFIED' },
        { from: 'VERIFIED', to: 'CONFIRMED' },
        { from: 'CONFIRMED', to: 'COMPLETED' },
      ],
    });
    const [buy] = await system.query<{ id: string }>(
      `SELECT id FROM gold_order WHERE type = 'BUY' AND user_id = $1::uuid`,
      seller.client.userId,
    );
    const asTable = await goldctl(home, ['order', 'show', buy?.id ?? '']);
    expect(asTable).toMatchObject({ code: 0, stderr: '' });
    for (const part of ['ALLOCATED', '₹1,000.00', seller.client.userId]) {
      expect(asTable.stdout).toContain(part);
    }
    // The gateway sends two events for a capture and the worker polls it. Any of them may be first.
    expect(asTable.stdout).toMatch(
      / PENDING +PAID +(?:payment\.captured|order\.paid|asked_by_\w+) +gateway:/u,
    );
  });

  it('that there is not is told so', async ({ home }) => {
    const missing = await goldctl(home, ['order', 'show', '019a8c7e-0000-7000-8000-000000000001']);
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toContain('there is no gold order 019a8c7e');
  });
});

describe('reconciliation of the running system', () => {
  it('agrees in 13 checks, and then finds an order under review', async ({ system, home }) => {
    const clean = await goldctl(home, ['reconcile']);
    expect(clean).toMatchObject({ code: 0, stderr: '' });
    expect(clean.stdout).toContain('All 13 checks agree.');
    const client = await system.newCustomer();
    const buy = await client.buy('500');
    await system.sandbox.pay(buy.gatewayOrderId, { amountPaise: 49_900 });
    await client.becomes(buy.orderId, 'MANUAL_REVIEW', { code: 'AMOUNT_MISMATCH' });
    const found = await goldctl(home, ['reconcile', '--samples']);
    expect(found.code).toBe(3);
    expect(found.stdout).toMatch(/^manual_review_open +medium +1 finding /mu);
    expect(found.stdout).toContain(buy.orderId);
    const asJson = await goldctl(home, ['reconcile', '-o', 'json']);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ summary: { findings: 1, errors: 0 } });
    expect(asJson.stdout).not.toContain(buy.orderId);
  });
});

describe('gates of the running system', () => {
  it('close without a question, at once, and open again', async ({ system, home }) => {
    const { call } = await system.newCustomer();
    const sell = () => call('POST', '/gold/sell', {});
    const closed = await goldctl(home, ['gates', 'close', 'sell', '-o', 'json']);
    expect(closed.code).toBe(0);
    expect(JSON.parse(closed.stdout)).toMatchObject({ gate: 'sell', isOpen: false });
    expect(readSwitch(system, 'DIGITAL_SELL_ENABLED')).toBe('false\n');
    expect(await sell()).toMatchObject({ status: 503, code: 'SELL_DISABLED' });
    expect(await goldctl(home, ['gates', 'open', 'sell', '--yes'])).toMatchObject({ code: 0 });
    expect(await sell()).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
  });
});
