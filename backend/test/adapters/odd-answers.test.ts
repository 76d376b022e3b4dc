import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/platform/outcome/outcome.ts';
import { valueOf } from './adapter-fixture.ts';
import { gatewayDrivers } from './gateway-drivers.ts';
import { amountPaise, startGatewayFixture, type GatewayFixture } from './gateway-fixture.ts';

const sparsePhone = '+919876543255';
const forms = ['absent', 'null', 'empty'] as const;

describe.each(gatewayDrivers)('the gateway $code', (driver) => {
  let fixture: GatewayFixture;
  beforeAll(async () => {
    fixture = await startGatewayFixture(driver);
  });
  beforeEach(() => fixture.reset());
  afterAll(() => fixture.stop());

  const paidOrder = async () => {
    const order = await fixture.create();
    const payment = await fixture.pay(order);
    const ref = {
      gatewayPaymentId: payment.gateway_payment_id,
      gatewayOrderId: order.gatewayOrderId,
      createdAt: fixture.clock.now(),
    };
    return { order, payment, ref };
  };

  test('reads its lists past the rows that are in them for good', async () => {
    const { order, payment, ref } = await paidOrder();
    const refund = await fixture.reverse('refunds', payment, 250);
    const dispute = await fixture.reverse('disputes', payment, 350);
    const { gateway } = fixture;
    expect(valueOf(await gateway.listPayments(order.gatewayOrderId))).toMatchObject([
      { status: 'CAPTURED', amountPaise: BigInt(amountPaise) },
    ]);
    expect(valueOf(await gateway.getRefunds(ref))).toMatchObject([{ refundId: refund.reference }]);
    expect(valueOf(await gateway.getDisputes(ref))).toMatchObject([
      { disputeId: dispute.reference },
    ]);
    expect(valueOf(await gateway.findOrderByReceipt('a-receipt-of-nobody'))).toBeUndefined();
  });

  test('takes a state that nobody knows for open, and a row without a figure for one', async () => {
    const { order, payment, ref } = await paidOrder();
    await fixture.reverse('refunds', payment, 250);
    await fixture.reverse('disputes', payment, 350);
    const { gateway } = fixture;
    const listed: Readonly<Record<string, () => Promise<Outcome<readonly object[]>>>> = {
      'list-payments': () => gateway.listPayments(order.gatewayOrderId),
      'get-refund': () => gateway.getRefunds(ref),
      'get-dispute': () => gateway.getDisputes(ref),
    };
    const open = { 'list-payments': 'PENDING', 'get-refund': 'PENDING', 'get-dispute': 'OPEN' };
    for (const operation of ['list-payments', 'get-refund', 'get-dispute'] as const) {
      await fixture.fault(operation, 'odd_state');
      expect(await listed[operation]?.()).toMatchObject({ value: [{ status: open[operation] }] });
      await fixture.fault(operation, 'odd_row');
      expect(await listed[operation]?.()).toMatchObject({ value: [{ status: 'UNREADABLE' }] });
    }
  });

  test.each(forms)('reads payments whose optional fields are %s', async (form) => {
    const { order } = await paidOrder();
    await fixture.fault('list-payments', 'sparse', { form });
    expect(valueOf(await fixture.gateway.listPayments(order.gatewayOrderId))).toMatchObject([
      { status: 'CAPTURED', amountPaise: BigInt(amountPaise), currency: 'INR' },
    ]);
  });

  test('hears of the payments of a customer of whom it says no more than it must', async () => {
    const given = { ...fixture.newOrder(), customer: { id: 'customer-1', phone: sparsePhone } };
    const order = valueOf(await fixture.gateway.createOrder(given));
    const payment = await fixture.pay(order, { deliver: 'webhook' });
    const [first] = await fixture.sent(order);
    if (first === undefined) throw new Error('the sandbox sent no webhook of the payment');
    expect(fixture.verify(first)).toMatchObject({
      event: {
        kind: 'captured',
        gatewayPaymentId: payment.gateway_payment_id,
        amountPaise: BigInt(amountPaise),
        currency: 'INR',
      },
    });
    expect(valueOf(await fixture.gateway.listPayments(order.gatewayOrderId))).toMatchObject([
      { gatewayPaymentId: payment.gateway_payment_id, status: 'CAPTURED' },
    ]);
  });
});
