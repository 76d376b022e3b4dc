import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { sandboxDefaults } from '../../src/apps/sandbox/sandbox-options.ts';
import { eventually } from './eventually.ts';
import type { UntypedAnswer, UntypedCaller } from './caller.ts';
import type { OpenGold } from './open-gold.ts';
import { newIdempotencyKey } from './sellers.ts';

export const operatorId = '018f0000-0000-7000-8000-00000000aaaa';

/** A buy on its way into a review. */
export interface ReviewedBuy {
  readonly id: string;
  readonly userId: string;
  readonly call: UntypedCaller;
  readonly txId: string;
  readonly grams: string;
  readonly gatewayOrderId: string;
}

const orderOf = async ({ call, id }: ReviewedBuy) => (await call('GET', `/gold/orders/${id}`)).body;

const becomes = (buy: ReviewedBuy, status: string, code: string | null = null) =>
  eventually(async () => {
    const { status: now, manual_review_code: review } = await orderOf(buy);
    expect([now, review]).toEqual([status, code]);
  });

/** Lists what was paid back or lost of a payment: disputes before refunds, the smallest first. */
export const reversalsOf = ({ database }: OpenGold, gatewayPaymentId: string) =>
  database.db.paymentReversal.findMany({
    where: { gatewayPaymentId },
    orderBy: [{ kind: 'asc' }, { amountPaise: 'asc' }],
  });

/** Buys that come under review, each in its way, and the operator who looks into them. */
export const createReviewedBuys = (open: OpenGold) => {
  const place = async (): Promise<ReviewedBuy> => {
    const { id: userId, call } = await open.newCustomer();
    const body = { unit: 'INR', amount: '1000', idempotency_key: newIdempotencyKey() };
    const { order, payment } = (await call('POST', '/gold/buy', body)).body;
    const { id, sg_tx_id: txId, grams } = order;
    return { id, userId, call, txId, grams, gatewayOrderId: payment.gateway_order_id };
  };
  /** Plays the customer's payment. Returns the gateway's id of it. */
  const pay = async (buy: ReviewedBuy, more: object = {}): Promise<string> => {
    const path = `/payments/${buy.gatewayOrderId}`;
    const response = await open.sandbox.control('POST', path, { outcome: 'captured', ...more });
    return String(response.body['gateway_payment_id']);
  };
  /** Pays back at the gateway. Returns its reference. */
  const payBack = async (paymentId: string, more: object = {}): Promise<string> => {
    const response = await open.sandbox.control('POST', `/refunds/${paymentId}`, more);
    return String(response.body['reference']);
  };
  /** Loses a dispute at the gateway. Returns its reference. */
  const loseDispute = async (paymentId: string, more: object = {}): Promise<string> => {
    const response = await open.sandbox.control('POST', `/disputes/${paymentId}`, more);
    return String(response.body['reference']);
  };
  const late = async () => {
    const buy = await place();
    await open.advance(481);
    const paymentId = await pay(buy);
    await becomes(buy, 'MANUAL_REVIEW', 'LATE_CAPTURE');
    return { buy, paymentId };
  };
  const allocated = async () => {
    const buy = await place();
    const paymentId = await pay(buy);
    await becomes(buy, 'PAID');
    await open.allocate(buy.id);
    await becomes(buy, 'ALLOCATED');
    return { buy, paymentId };
  };
  const paidTwice = async () => {
    const { buy, paymentId } = await allocated();
    const secondId = await pay(buy);
    await becomes(buy, 'MANUAL_REVIEW', 'SECOND_CAPTURE');
    return { buy, paymentId, secondId };
  };
  /** Delivers an event of the gateway, signed as the gateway signs. Waits until it is stored. */
  const sendEvent = async (event: string, data: object): Promise<void> => {
    const text = JSON.stringify({ event, created_at: open.clock.now().toISOString(), data });
    const [secret = ''] = sandboxDefaults.gatewayWebhookSecrets;
    const response = await fetch(`${open.url}/webhooks/payment/sandbox`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gateway-signature': createHmac('sha256', secret).update(text).digest('hex'),
        'x-gateway-event-id': newIdempotencyKey(),
      },
      body: text,
    });
    expect(response.status).toBe(200);
  };
  const sendPaymentEvent = (buy: ReviewedBuy, event: string, paymentId: string, status: string) =>
    sendEvent(event, {
      gateway_order_id: buy.gatewayOrderId,
      gateway_payment_id: paymentId,
      amount_paise: 100_000,
      currency: 'INR',
      method: 'upi',
      status,
    });
  const failPayment = async (buy: ReviewedBuy, paymentId: string) => {
    await sendPaymentEvent(buy, 'payment.failed', paymentId, 'failed');
    await becomes(buy, 'MANUAL_REVIEW', 'FAILED_AFTER_PAID');
  };
  const paymentDispositions = async (buy: ReviewedBuy): Promise<string[]> => {
    const rows = await open.database.db.gatewayPayment.findMany({
      where: { paymentOrder: { orderId: buy.id } },
      orderBy: [{ learnedAt: 'asc' }, { id: 'asc' }],
    });
    return rows.map(({ disposition }) => disposition);
  };
  const paymentOrderStatus = async (buy: ReviewedBuy): Promise<string | undefined> => {
    const row = await open.database.db.paymentOrder.findFirst({ where: { orderId: buy.id } });
    return row?.status;
  };

  return {
    /** `POST /orders/:id/resolve` of an operator as it is answered. */
    resolve: (orderId: string, resolution: string, more: object = {}): Promise<UntypedAnswer> => {
      const body = { resolution, note: 'looked into', ...more };
      return open.as(operatorId)('POST', `/orders/${orderId}/resolve`, body);
    },
    gatewayFault: (operation: string, fault: string, times: number) =>
      open.sandbox.control('POST', '/faults', {
        collaborator: 'sandbox-gateway',
        operation,
        fault,
        times,
      }),
    place,
    becomes,
    becomesReversed: (buy: ReviewedBuy) => becomes(buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED'),
    statusOf: async (buy: ReviewedBuy): Promise<string> => (await orderOf(buy)).status,
    pay,
    payBack,
    loseDispute,
    sendEvent,
    sendPaymentEvent,
    reasonOf: async (buy: ReviewedBuy): Promise<string> =>
      String((await orderOf(buy)).manual_review_reason),
    late,
    allocated,
    paidTwice,
    failPayment,
    paymentDispositions,
    paymentOrderStatus,
  };
};

export type ReviewedBuys = ReturnType<typeof createReviewedBuys>;
