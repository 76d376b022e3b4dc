import { expect } from 'vitest';
import { openCheckout, stateOf } from '#test/support/checkouts.ts';
import { goldTest } from '#test/support/gold-test.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import {
  copyToSilentGateway,
  silentGatewayCode,
  withSilentGateway,
} from '#test/support/silent-gateway.ts';

const it = goldTest({ wrap: { gateways: withSilentGateway } });

it('a silent gateway does not hide the captures of another gateway', async ({ open }) => {
  const earlier = await openCheckout(open);
  await copyToSilentGateway(open.database.db, earlier.orderId, 450);
  await open.advance(1);
  const paid = await openCheckout(open);
  await open.sandbox.control('POST', `/payments/${paid.gatewayOrderId}`, {
    outcome: 'captured',
    deliver: 'none',
  });
  await open.advance(300);
  await runSweeps(open.payments.sweeps, 'payments-poll-due-payments');
  expect((await stateOf(open, paid.orderId)).status).toBe('PAID');
  const asked = { gateway: silentGatewayCode, lastAskedAt: open.clock.now() };
  expect(await open.database.db.paymentOrder.count({ where: asked })).toBe(1);
});
