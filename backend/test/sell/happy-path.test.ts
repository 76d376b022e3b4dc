import { describe, expect } from 'vitest';
import { runningTest } from '#test/support/running-test.ts';
import { newKey } from '#test/support/test-customer.ts';
import { requestSale, newSeller, payoutBecomes, soldOf } from '#test/support/test-seller.ts';

const it = runningTest({ withAdmin: true });

describe('a customer who sells', () => {
  it('is paid, and no log has the number of the account', async ({ system }) => {
    const seller = await newSeller(system);
    const sold = soldOf(await requestSale(seller, '0.0300'));
    expect(sold.order.status).toBe('CONFIRMED');
    const payout = await payoutBecomes(seller, sold.payout.id, 'PAID');
    expect(payout).toMatchObject({ orderId: sold.order.id, attempt: 1 });
    await seller.client.becomes(sold.order.id, 'COMPLETED');
    expect(await system.transitions(sold.order.id)).toEqual([
      '>PENDING',
      'PENDING>VERIFIED',
      'VERIFIED>CONFIRMED',
      'CONFIRMED>COMPLETED',
    ]);
    const notifications = await system.query<{ type: string }>(
      'SELECT type FROM notification WHERE user_id = $1::uuid ORDER BY created_at, id',
      seller.client.userId,
    );
    const types = notifications.map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['sell_confirmed', 'payout_paid']));
    const admin = await system.signInAdmin('SUPPORT');
    const shown = await admin('GET', `/orders/${sold.order.id}`);
    expect(shown.body).toMatchObject({ status: 'COMPLETED', payout: { status: 'PAID' } });
    for (const started of system.processes) {
      const leaks = started.log().includes(seller.accountNumber);
      expect(leaks, `the log of ${started.app} has the number`).toBe(false);
    }
  });

  it('meets the gate before anything else, but for what is finished', async ({ system }) => {
    const seller = await newSeller(system);
    const key = newKey();
    const first = soldOf(await requestSale(seller, '0.02', { key }));
    system.stack.setSwitch('DIGITAL_SELL_ENABLED', 'yes');
    try {
      const replay = await requestSale(seller, '0.02', { key });
      expect(replay.status).toBe(200);
      expect(replay.headers.get('idempotent-replayed')).toBe('true');
      expect(soldOf(replay).order.id).toBe(first.order.id);
      const closed = { status: 503, code: 'SELL_DISABLED' };
      expect(await requestSale(seller, '0.02')).toMatchObject(closed);
      expect(await requestSale(seller, '0.03', { key })).toMatchObject(closed);
      expect(await seller.client.call('POST', '/gold/sell', { unit: 7 })).toMatchObject(closed);
    } finally {
      system.stack.setSwitch('DIGITAL_SELL_ENABLED', 'TRUE');
    }
    expect((await requestSale(seller, '0.02')).status).toBe(201);
  });

  it('whose sell is under review is helped by a super admin alone', async ({ system }) => {
    const seller = await newSeller(system);
    // The janitor may be quicker than an operator: its word is the provider's too.
    await system.processes.find(({ app }) => app === 'worker')?.kill();
    await system.sandbox.fault('safegold', 'sell-confirm', 'error', { status: 400 });
    const answer = await requestSale(seller, '0.02');
    expect(answer).toMatchObject({ status: 503, code: 'SELL_UNDER_REVIEW' });
    const [sell] = await system.query<{ id: string; tx: string }>(
      `SELECT id, provider_tx_id AS tx FROM gold_order
       WHERE user_id = $1::uuid AND type = 'SELL'`,
      seller.client.userId,
    );
    const path = `/orders/${sell?.id}/resolve`;
    const body = { resolution: 'RELEASE_SELL', reference: 'ticket 1', note: 'asked the provider' };
    for (const role of ['SUPPORT', 'ADMIN'] as const) {
      const refused = await (await system.signInAdmin(role))('POST', path, body);
      expect(refused).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    }
    const superAdmin = await system.signInAdmin('SUPER_ADMIN');
    const early = await superAdmin('POST', path, body);
    expect(early).toMatchObject({ status: 409, code: 'OUTCOME_UNDECIDED' });
    await system.sandbox.setTransaction(sell?.tx ?? '', 2);
    const answers = await Promise.all([
      superAdmin('POST', path, body),
      superAdmin('POST', path, body),
    ]);
    await system.startWorker();
    const [won, lost] = answers.toSorted((a, b) => a.status - b.status);
    expect(won).toMatchObject({ status: 200, body: { status: 'FAILED' } });
    expect(lost).toMatchObject({ status: 409, code: 'ILLEGAL_TRANSITION' });
    await seller.client.becomes(sell?.id ?? '', 'FAILED');
    expect((await seller.client.portfolio()).reserved).toBe('0.0000');
    expect((await requestSale(seller, '0.02')).status).toBe(201);
  });
});
