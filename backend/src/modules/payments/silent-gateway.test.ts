import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCheckout, openPayments, type OpenPayments } from '#test/support/open-payments.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import {
  copyToSilentGateway,
  silentGatewayCode,
  withSilentGateway,
} from '#test/support/silent-gateway.ts';

let open: OpenPayments;
beforeAll(async () => {
  open = await openPayments({ wrapGateways: withSilentGateway });
});
afterAll(() => open.close());

it('does not hide the captures of another one behind its own payment orders', async () => {
  const earlier = await openCheckout(open);
  await copyToSilentGateway(open.database.db, earlier.orderId, 450);
  open.clock.advance(1000);
  const paid = await openCheckout(open);
  await open.sandbox.control('POST', `/payments/${paid.gatewayOrderId}`, {
    outcome: 'captured',
    deliver: 'none',
  });
  open.clock.advance(5 * 60_000);
  await runSweeps(open.payments.sweeps, 'payments-ask-around-expiry');
  expect((await open.orders.state(paid.orderId)).status).toBe('PAID');
  const asked = { gateway: silentGatewayCode, lastAskedAt: open.clock.now() };
  expect(await open.database.db.paymentOrder.count({ where: asked })).toBe(1);
});
