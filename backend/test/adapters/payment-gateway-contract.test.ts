import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isRead } from '../../src/adapters/payment-gateway/port.ts';
import { fromSafePaise } from '../../src/money/index.ts';
import { valueOf } from './adapter-fixture.ts';
import { gatewayDrivers } from './gateway-drivers.ts';
import { amountPaise, startGatewayFixture, type GatewayFixture } from './gateway-fixture.ts';

/** Paise that a multiplication of rupees in floating point gets wrong, and large ones. */
const amounts = [100, 115, 435, 6410, 100_110, 1_234_567_801, 9_999_999_999_999];

describe.each(gatewayDrivers)('the gateway $code', (driver) => {
  let fixture: GatewayFixture;
  beforeAll(async () => {
    fixture = await startGatewayFixture(driver);
  });
  beforeEach(() => fixture.reset());
  afterAll(() => fixture.stop());

  describe('orders', () => {
    test('echoes what was asked, and finds it by its id and by its receipt', async () => {
      const asked = fixture.newOrder();
      const order = valueOf(await fixture.gateway.createOrder(asked));
      const { checkoutSession, ...made } = order;
      expect(checkoutSession !== undefined).toBe(driver.hasCheckoutSession === true);
      expect(made).toEqual({
        gatewayOrderId: expect.stringMatching(/^[\w.:-]{1,128}$/),
        receipt: asked.receipt,
        amountPaise: asked.amountPaise,
        currency: 'INR',
        status: 'OPEN',
      });
      expect(valueOf(await fixture.gateway.getOrder(order.gatewayOrderId))).toEqual(order);
      expect(valueOf(await fixture.gateway.findOrderByReceipt(asked.receipt))).toEqual(order);
    });

    test('gives the same order for the same receipt', async () => {
      const asked = fixture.newOrder();
      const order = valueOf(await fixture.gateway.createOrder(asked));
      expect(valueOf(await fixture.gateway.createOrder(asked))).toEqual(order);
    });

    test('shows an echo of another amount, which is for the caller to refuse', async () => {
      await fixture.fault('create-order', 'wrong_amount');
      expect((await fixture.create()).amountPaise).toBe(fromSafePaise(amountPaise + 100));
    });

    test('is paid after a capture alone', async () => {
      const order = await fixture.create();
      await fixture.pay(order, { outcome: 'failed' });
      expect(valueOf(await fixture.gateway.getOrder(order.gatewayOrderId)).status).toBe('OPEN');
      await fixture.pay(order);
      expect(valueOf(await fixture.gateway.getOrder(order.gatewayOrderId)).status).toBe('PAID');
    });

    test('tells an order that certainly is not there', async () => {
      expect(await fixture.gateway.findOrderByReceipt('nobody')).toEqual({
        kind: 'done',
        value: undefined,
      });
      const missing = { kind: 'refused', code: 'GATEWAY_NOT_FOUND' };
      expect(await fixture.gateway.getOrder('order_nobody')).toMatchObject(missing);
      expect(await fixture.gateway.listPayments('order_nobody')).toMatchObject(missing);
    });

    test('refuses what the gateway refuses', async () => {
      const asked = { ...fixture.newOrder(), currency: 'rupees' };
      expect(await fixture.gateway.createOrder(asked)).toMatchObject({
        kind: 'refused',
        code: 'GATEWAY_REFUSED',
      });
    });
  });

  test.each(amounts)('carries %i paise to the paisa, everywhere', async (paise) => {
    const order = await fixture.create(paise);
    const expected = fromSafePaise(paise);
    expect(order.amountPaise).toBe(expected);
    const payment = await fixture.pay(order, { deliver: 'webhook' });
    const ref = {
      gatewayPaymentId: payment.gateway_payment_id,
      gatewayOrderId: order.gatewayOrderId,
    };
    expect(valueOf(await fixture.gateway.listPayments(order.gatewayOrderId))).toMatchObject([
      { amountPaise: expected },
    ]);
    await fixture.reverse('refunds', payment, paise - 1);
    await fixture.reverse('disputes', payment, paise - 1);
    const lessOne = fromSafePaise(paise - 1);
    expect(valueOf(await fixture.gateway.getRefunds(ref))).toMatchObject([
      { amountPaise: lessOne },
    ]);
    expect(valueOf(await fixture.gateway.getDisputes(ref))).toMatchObject([
      { amountPaise: lessOne },
    ]);
    const verified = (await fixture.sent(order)).map((webhook) => fixture.verify(webhook));
    expect(verified.length).toBeGreaterThan(2);
    for (const webhook of verified) {
      const amount = expect.toSatisfy((value) => value === expected || value === lessOne);
      expect(webhook).toMatchObject({ valid: true, event: { amountPaise: amount } });
    }
  });

  describe('payments', () => {
    test('are read as the gateway has them, failed ones too', async () => {
      const order = await fixture.create();
      await fixture.pay(order, { outcome: 'failed', method: 'netbanking' });
      const paid = await fixture.pay(order, { amountPaise: 500, currency: 'USD', method: 'upi' });
      const payments = valueOf(await fixture.gateway.listPayments(order.gatewayOrderId));
      expect(payments).toHaveLength(2);
      expect(payments).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ status: 'FAILED', method: 'netbanking' }),
          {
            gatewayPaymentId: paid.gateway_payment_id,
            gatewayOrderId: order.gatewayOrderId,
            status: 'CAPTURED',
            amountPaise: 500n,
            currency: 'USD',
            method: 'upi',
            createdAt: expect.any(Date),
          },
        ]),
      );
    });

    test('have their refunds and lost disputes, each by its reference', async () => {
      const order = await fixture.create();
      const [payment, other] = [await fixture.pay(order), await fixture.pay(order)];
      const ref = {
        gatewayPaymentId: payment.gateway_payment_id,
        gatewayOrderId: order.gatewayOrderId,
      };
      expect(valueOf(await fixture.gateway.getRefunds(ref))).toEqual([]);
      expect(valueOf(await fixture.gateway.getDisputes(ref))).toEqual([]);
      const refunds = [
        await fixture.reverse('refunds', payment, 150),
        await fixture.reverse('refunds', payment, 250),
      ];
      const dispute = await fixture.reverse('disputes', payment, 350);
      await fixture.reverse('refunds', other, 450);
      await fixture.reverse('disputes', other, 550);
      const found = valueOf(await fixture.gateway.getRefunds(ref)).filter(isRead);
      expect(found.map(({ refundId }) => refundId).toSorted()).toEqual(
        refunds.map(({ reference }) => reference).toSorted(),
      );
      expect(found).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ amountPaise: 150n, status: 'PROCESSED' }),
          expect.objectContaining({ amountPaise: 250n, createdAt: expect.any(Date) }),
        ]),
      );
      expect(valueOf(await fixture.gateway.getDisputes(ref))).toEqual([
        {
          disputeId: dispute.reference,
          amountPaise: 350n,
          status: 'LOST',
          createdAt: expect.any(Date),
        },
      ]);
    });

    test('of nobody have none', async () => {
      const order = await fixture.create();
      const ref = { gatewayPaymentId: 'pay_nobody', gatewayOrderId: order.gatewayOrderId };
      for (const answer of [
        await fixture.gateway.getRefunds(ref),
        await fixture.gateway.getDisputes(ref),
      ]) {
        const none = answer.kind === 'done' ? answer.value : [];
        expect(none).toEqual([]);
        expect(['done', 'GATEWAY_NOT_FOUND']).toContain(
          answer.kind === 'refused' ? answer.code : answer.kind,
        );
      }
    });
  });
});
