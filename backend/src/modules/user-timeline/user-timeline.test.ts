import { expect } from 'vitest';
import { bearerCaller, type Caller } from '#test/support/caller.ts';
import type { OpenPayouts } from '#test/support/open-payouts.ts';
import { payoutTest } from '#test/support/payout-test.ts';
import { serveAdminApi } from '#test/support/serve-apis.ts';

const it = payoutTest({
  // The order of jewellery is only a row, without a sale.
  breaks: [
    'the figures of a product order are the sums of its lines, numbered from 1',
    "a product order's history is a chain without a gap that ends at its status",
  ],
});
let open: OpenPayouts;
let operator: Caller;
let url: string;
it.beforeAll(async ({ open: opened }) => {
  open = opened;
  ({ url } = await serveAdminApi(open.system));
  operator = bearerCaller(url, (await open.factories.admin('SUPPORT')).token);
});

it('the timeline shows the events of a customer, newest first', async () => {
  const { userId, call, payoutId, orderId } = await open.payout();
  open.system.clock.advance(1000);
  const input = { accountNumber: '918273645518', ifsc: 'HDFC0000053', holderName: 'Asha Rao' };
  const added = await call('POST', '/bank-accounts', input);
  open.system.clock.advance(1000);
  await call('DELETE', `/bank-accounts/${String(added.body['id'])}`);
  const { status, body } = await operator('GET', `/users/${userId}/timeline?limit=2`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    page: 1,
    limit: 2,
    items: [
      { kind: 'security', summary: 'Bank account removed', data: { ip: '127.0.0.1' } },
      { kind: 'security', summary: 'Bank account added', data: { event: 'bank_account_added' } },
    ],
  });
  const all = await operator('GET', `/users/${userId}/timeline?limit=100`);
  const items = all.body['items'] as { at: string; kind: string; data: object }[]; // as declared
  expect(all.body['total']).toBe(items.length);
  expect(items.map(({ at }) => at)).toEqual(
    items
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
  );
  expect(items).toContainEqual(
    expect.objectContaining({
      kind: 'payout',
      data: expect.objectContaining({ payoutId, orderId }),
    }),
  );
  expect(items).toContainEqual(
    expect.objectContaining({ kind: 'order', data: expect.objectContaining({ orderId }) }),
  );
  expect(JSON.stringify(all.body)).not.toContain('918273645518');
});

it('the timeline shows an order of jewellery with its total and status', async () => {
  const { userId } = await open.payout();
  open.system.clock.advance(1000);
  const at = open.system.clock.now();
  const { id } = await open.system.db.productOrder.create({
    data: {
      id: open.system.random.uuid(),
      userId,
      status: 'CONFIRMED',
      itemsTotalPaise: 100_000n,
      gstPaise: 3000n,
      gstRateBps: 300,
      deliveryFeePaise: 9900n,
      totalPaise: 112_900n,
      shippingAddressSealed: 'x',
      createdAt: at,
      updatedAt: at,
    },
  });
  const { body } = await operator('GET', `/users/${userId}/timeline?limit=1`);
  expect(body['items']).toEqual([
    {
      at: at.toISOString(),
      kind: 'product_order',
      summary: 'Product order: CONFIRMED',
      data: { productOrderId: id, status: 'CONFIRMED', amountPaise: 112_900 },
    },
  ]);
  const all = await operator('GET', `/users/${userId}/timeline?limit=100`);
  expect(all.body['total']).toBe((all.body['items'] as unknown[]).length);
});

it('the timeline is for operators, and answers 404 for an unknown customer', async () => {
  expect(await operator('GET', `/users/${open.system.random.uuid()}/timeline`)).toMatchObject({
    status: 404,
  });
  expect(
    await bearerCaller(url)('GET', `/users/${open.system.random.uuid()}/timeline`),
  ).toMatchObject({ status: 401 });
});
