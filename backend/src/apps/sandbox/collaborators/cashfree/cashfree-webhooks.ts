import { createHash } from 'node:crypto';
import type { Clock } from '../../../../platform/clock/clock.ts';
import type { Random } from '../../../../platform/ids/random.ts';
import type { GatewayEvent, GatewayProtocol } from '../../core/create-checkout-simulator.ts';
import { base64Hmac } from '../../core/credentials.ts';
import type { GatewayOrder, GatewayPayment, GatewayStore } from '../../core/gateway-store.ts';
import { fieldsOf } from '../../core/collaborator.ts';
import { isSparseCustomer, leaveOut } from '../../core/left-out.ts';
import { toJsonText } from '../../core/wire-json.ts';
import {
  chargeRefundView,
  chargeView,
  sessionOf,
  sparePaymentFields,
  subscriptionOf,
  webhookDisputeView,
  webhookPaymentView,
  webhookRefundView,
} from './cashfree-views.ts';
import { timeText } from './cashfree.wire.ts';

interface CashfreeProtocolOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: GatewayStore;
  readonly webhookSecret: string;
}

/** Returns true once no new attempt to pay an order may begin. */
export const isExpired = ({ expires_at: expiresAt }: GatewayOrder, now: Date): boolean =>
  expiresAt !== null && now >= new Date(expiresAt);

const isSparse = ({ extra }: GatewayOrder): boolean =>
  isSparseCustomer(fieldsOf(extra?.['customer_details'])['customer_phone']);

/** Writes and signs Cashfree's webhooks (contract: payments-and-webhooks > Cashfree). */
export const createCashfreeProtocol = (options: CashfreeProtocolOptions): GatewayProtocol => {
  const { clock, random, store, webhookSecret } = options;

  const write = (type: string, data: object): GatewayEvent => {
    const now = clock.now();
    const body = toJsonText({ data, event_time: timeText(now), type });
    const timestamp = String(now.getTime());
    const headers = {
      'x-webhook-signature': base64Hmac(webhookSecret, `${timestamp}${body}`),
      'x-webhook-timestamp': timestamp,
      'x-webhook-version': '2025-01-01',
      'x-webhook-attempt': '1',
      'x-idempotency-key': createHash('sha256').update(random.uuid()).digest('base64'),
    };
    return { event: type, headers, body };
  };

  const paymentEvent = (payment: GatewayPayment, order: GatewayOrder): GatewayEvent => {
    const isCaptured = payment.status === 'captured';
    if (subscriptionOf(payment) !== '') {
      const type = isCaptured ? 'SUBSCRIPTION_PAYMENT_SUCCESS' : 'SUBSCRIPTION_PAYMENT_FAILED';
      return write(type, { ...chargeView(payment), payment_currency: payment.currency });
    }
    const type = isCaptured ? 'PAYMENT_SUCCESS_WEBHOOK' : 'PAYMENT_FAILED_WEBHOOK';
    const view = webhookPaymentView(payment, order);
    if (!isSparse(order)) return write(type, view);
    return write(type, { ...view, payment: leaveOut(view.payment, sparePaymentFields, 'null') });
  };

  return {
    name: 'cashfree',
    webhookPath: '/v1/webhooks/payment/cashfree',
    // Cashfree sends no event for a paid order, only for its payment.
    paymentEvents: (payment, order) => [paymentEvent(payment, order)],
    refundEvent: (refund, { payment, order }) =>
      subscriptionOf(payment) === ''
        ? write('REFUND_STATUS_WEBHOOK', { refund: webhookRefundView(refund, order) })
        : write('SUBSCRIPTION_REFUND_STATUS', chargeRefundView(refund, order)),
    disputeEvent: (dispute, disputed) =>
      write('DISPUTE_CLOSED', webhookDisputeView(dispute, disputed)),
    // Cashfree signs nothing for the customer's device, so this may be any text.
    checkoutSignature({ order_id: orderId }) {
      const order = store.order(orderId);
      return order === undefined ? '' : sessionOf(order);
    },
    paymentIdOf: ({ id }) => id,
    refuseAttempt: (order) =>
      isExpired(order, clock.now()) ? 'the order has expired: no attempt may begin' : undefined,
  };
};
