import type { Clock } from '../../../../platform/clock/clock.ts';
import type { Random } from '../../../../platform/ids/random.ts';
import type { GatewayEvent, GatewayProtocol } from '../../core/create-checkout-simulator.ts';
import { hexHmac } from '../../core/credentials.ts';
import type { GatewayStore } from '../../core/gateway-store.ts';
import { leaveOut } from '../../core/left-out.ts';
import {
  disputeView,
  isSparseOrder,
  orderView,
  paymentView,
  refundView,
  secondsOf,
  sparePaymentFields,
} from './razorpay-views.ts';

interface RazorpayProtocolOptions {
  readonly store: GatewayStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly keySecret: string;
  readonly webhookSecret: string;
}

/**
 * Signs Razorpay's webhooks (pages webhooks/payments, orders, refunds, disputes, validate-test) and
 * its checkouts (page payment-gateway/web-integration/standard/build-integration).
 */
export const createRazorpayProtocol = (options: RazorpayProtocolOptions): GatewayProtocol => {
  const { store, clock, random, keySecret, webhookSecret } = options;

  const write = (event: string, entities: Readonly<Record<string, unknown>>): GatewayEvent => {
    const body = JSON.stringify({
      entity: 'event',
      account_id: 'acc_sandbox',
      event,
      contains: Object.keys(entities),
      payload: Object.fromEntries(
        Object.entries(entities).map(([name, entity]) => [name, { entity }]),
      ),
      created_at: secondsOf(clock.now().toISOString()),
    });
    const headers = {
      'x-razorpay-signature': hexHmac(webhookSecret, body),
      'x-razorpay-event-id': `sbx_evt_${random.uuid().replaceAll('-', '')}`,
    };
    return { event, headers, body };
  };

  return {
    name: 'razorpay',
    webhookPath: '/v1/webhooks/payment/razorpay',
    paymentEvents(payment, order) {
      const whole = paymentView(store, payment);
      const sparse = () => leaveOut(whole, sparePaymentFields, 'null');
      const entities = { payment: isSparseOrder(order) ? sparse() : whole };
      if (payment.status === 'failed') return [write('payment.failed', entities)];
      return [
        write('payment.captured', entities),
        write('order.paid', { ...entities, order: orderView(store, order) }),
      ];
    },
    refundEvent: (refund, { payment }) =>
      write('refund.processed', {
        refund: refundView(refund, payment.currency),
        payment: paymentView(store, payment),
      }),
    disputeEvent: (dispute, { payment }) =>
      write('payment.dispute.lost', {
        payment: paymentView(store, payment),
        dispute: disputeView(dispute, payment.currency),
      }),
    checkoutSignature: ({ id, order_id: orderId }) => hexHmac(keySecret, `${orderId}|${id}`),
    // A debit is a payment from the start.
    paymentIdOf: ({ id }) => id,
  };
};
