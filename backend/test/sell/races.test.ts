import { describe, expect } from 'vitest';
import { askUntilDecided } from '#test/support/ask-until-decided.ts';
import { runningTest } from '#test/support/running-test.ts';
import { newKey } from '#test/support/test-customer.ts';
import { requestSale, newSeller, payoutBecomes, soldOf } from '#test/support/test-seller.ts';

const it = runningTest().extend(
  'second',
  { scope: 'file' },
  async ({ system }) => (await system.startCustomer()).url,
);

describe('ten sales of a whole balance, at two replicas', () => {
  it('are one sale, while a buy is allocated beside it and loses nothing', async ({
    system,
    second,
  }) => {
    const seller = await newSeller(system);
    const { client } = seller;
    const { balance } = await client.portfolio();
    const buy = await client.buy('500');
    const calls = [client.call, client.callAt(second)] as const;
    const [answers] = await Promise.all([
      Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          requestSale(seller, balance, { call: calls[index % 2] ?? client.call }),
        ),
      ),
      system.sandbox.pay(buy.gatewayOrderId),
    ]);
    const sold = answers.filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, code }) => [status, code])).toEqual(
      Array.from({ length: 9 }, () => [400, 'INSUFFICIENT_BALANCE']),
    );
    const [only] = sold.map(soldOf);
    expect(only?.order.grams).toBe(balance);
    const bought = await client.becomes(buy.orderId, 'ALLOCATED');
    const left = await client.portfolio();
    expect(left).toMatchObject({ balance: bought.grams, reserved: '0.0000' });
    await payoutBecomes(seller, only?.payout.id ?? '', 'PAID');
    expect(await system.sandbox.journal('sell-confirm', only?.order.sg_tx_id)).toHaveLength(1);
  });

  it('under one key are one sale, answered alike at both', async ({ system, second }) => {
    const seller = await newSeller(system);
    const { client } = seller;
    const key = newKey();
    const calls = [client.call, client.callAt(second)] as const;
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        askUntilDecided(() =>
          requestSale(seller, '0.02', { key, call: calls[index % 2] ?? client.call }),
        ),
      ),
    );
    const sold = answers.map(soldOf);
    expect(new Set(sold.map(({ order }) => order.id)).size).toBe(1);
    expect(new Set(sold.map(({ payout }) => payout.id)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    await payoutBecomes(seller, sold[0]?.payout.id ?? '', 'PAID');
  });
});
