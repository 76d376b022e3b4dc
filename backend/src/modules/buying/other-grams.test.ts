import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { openGold, type OpenGold } from '#test/support/open-gold.ts';

let open: OpenGold;
beforeAll(async () => {
  open = await openGold();
});
afterAll(() => open.close());

it('credits nothing when the provider confirmed other grams than the order has', async () => {
  const { call } = await open.newCustomer();
  const buy = { unit: 'INR', amount: '1000', idempotency_key: 'other-grams' };
  const { body } = await call('POST', '/gold/buy', buy);
  const path = `/payments/${body.payment.gateway_order_id}`;
  await open.sandbox.control('POST', path, { outcome: 'captured' });
  const read = async () => (await call('GET', `/gold/orders/${body.order.id}`)).body;
  await eventually(async () => (await read()).status === 'PAID');
  // No code of ours does this: the order's grams differ from those of its quote and its verify.
  await open.database.db.goldOrder.update({
    where: { id: body.order.id },
    data: { grams: '9.9999' },
  });
  await open.gold.allocate(body.order.id);
  expect(await read()).toMatchObject({
    status: 'MANUAL_REVIEW',
    manual_review_code: 'GRAMS_MISMATCH',
  });
  expect((await call('GET', '/portfolio')).body.balance).toBe('0.0000');
  expect((await call('GET', `/payments/orders/${body.payment.id}`)).body.status).toBe('PAID');
});
