import { expect } from 'vitest';
import { goldTest } from '#test/support/gold-test.ts';
import { eventually } from '#test/support/eventually.ts';

// The test itself changes the order's grams, which no code of the service does.
const it = goldTest({
  breaks: [
    "a buy's rupees are gold, tax and rounding, to the paisa, as quoted",
    'every trade at the provider is of an order here that has it or is finding out',
  ],
});

it('the allocation credits nothing if the provider confirmed other grams than the order has', async ({
  open,
}) => {
  const { call } = await open.newCustomer();
  const buy = { unit: 'INR', amount: '1000', idempotency_key: 'other-grams' };
  const { body } = await call('POST', '/gold/buy', buy);
  const path = `/payments/${body.payment.gateway_order_id}`;
  await open.sandbox.control('POST', path, { outcome: 'captured' });
  const read = async () => (await call('GET', `/gold/orders/${body.order.id}`)).body;
  await eventually(async () => (await read()).status === 'PAID');
  // The order's grams now differ from the grams of its quote and its verify.
  await open.database.db.goldOrder.update({
    where: { id: body.order.id },
    data: { grams: '9.9999' },
  });
  await open.allocate(body.order.id);
  expect(await read()).toMatchObject({
    status: 'MANUAL_REVIEW',
    manual_review_code: 'GRAMS_MISMATCH',
  });
  expect((await call('GET', '/portfolio')).body.balance).toBe('0.0000');
  expect((await call('GET', `/payments/orders/${body.payment.id}`)).body.status).toBe('PAID');
});
