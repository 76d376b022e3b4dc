import { fieldsOf, textOf } from '../../core/collaborator.ts';
import type {
  GatewayDebit,
  GatewayDispute,
  GatewayOrder,
  GatewayPayment,
  GatewayRefund,
} from '../../core/gateway-store.ts';
import { jsonDecimal } from '../../core/wire-json.ts';
import { rupees, timeText } from './cashfree.wire.ts';

/** A charge of a subscription, which is a debit until it has ended and then a payment. */
type Charge = GatewayDebit | GatewayPayment;

const groupOf: Readonly<Record<string, string>> = { netbanking: 'net_banking', card: 'debit_card' };

/** Returns Cashfree's name of an instrument. */
const paymentGroup = (method: string): string => groupOf[method] ?? method;

const extraText = (extra: GatewayOrder['extra'], name: string): string =>
  textOf(extra?.[name]) ?? '';

/** Returns the id that opens an order's checkout. */
export const sessionOf = ({ extra }: GatewayOrder): string => extraText(extra, 'session_id');

/** Returns the subscription that a payment was charged to, or empty for a checkout's payment. */
export const subscriptionOf = ({ extra }: Charge): string => extraText(extra, 'subscription_id');

/** Shows an order. `status` is its status by the sandbox's clock. */
export const orderView = (order: GatewayOrder, status: string) => ({
  cf_order_id: extraText(order.extra, 'cf_order_id'),
  order_id: order.id,
  entity: 'order',
  order_amount: rupees(order.amount_paise),
  order_currency: order.currency,
  order_status: status,
  payment_session_id: sessionOf(order),
  order_expiry_time: timeText(new Date(order.expires_at ?? order.created_at)),
  order_note: order.extra?.['order_note'] ?? null,
  order_tags: order.extra?.['order_tags'] ?? null,
  created_at: timeText(new Date(order.created_at)),
  customer_details: fieldsOf(order.extra?.['customer_details']),
  order_splits: [],
});

/** Shows the common part of a payment's webhook and its entity. */
const paymentPart = (payment: GatewayPayment) => ({
  cf_payment_id: payment.id,
  payment_status: payment.status === 'captured' ? 'SUCCESS' : 'FAILED',
  payment_amount: rupees(payment.amount_paise),
  payment_currency: payment.currency,
  payment_message: payment.status === 'captured' ? '00::Transaction success' : 'Declined',
  payment_time: timeText(new Date(payment.created_at)),
  bank_reference: payment.id,
  auth_id: null,
  payment_method: { [payment.method]: { channel: 'link' } },
  payment_group: paymentGroup(payment.method),
  international_payment: { international: false },
  payment_surcharge: {
    payment_surcharge_service_charge: 0,
    payment_surcharge_service_tax: 0,
  },
});

/**
 * The fields of a payment that Cashfree may leave out, and for which the service has a substitute.
 */
export const sparePaymentFields = [
  'entity',
  'order_id',
  'payment_currency',
  'payment_group',
  'payment_method',
  'payment_time',
  'bank_reference',
  'is_captured',
];

/** Shows a payment of an order. */
export const paymentView = (payment: GatewayPayment, order: GatewayOrder) => ({
  ...paymentPart(payment),
  order_id: order.id,
  entity: 'payment',
  is_captured: payment.status === 'captured',
  order_amount: rupees(order.amount_paise),
  order_currency: order.currency,
  payment_completion_time: timeText(new Date(payment.created_at)),
  error_details: null,
  authorization: null,
});

/** Shows the order and payment of a webhook. */
export const webhookPaymentView = (payment: GatewayPayment, order: GatewayOrder) => ({
  order: {
    order_id: order.id,
    order_amount: rupees(order.amount_paise),
    order_currency: order.currency,
    order_tags: order.extra?.['order_tags'] ?? null,
  },
  payment: paymentPart(payment),
  customer_details: fieldsOf(order.extra?.['customer_details']),
  payment_gateway_details: { gateway_name: 'CASHFREE', gateway_settlement: 'CASHFREE' },
  payment_offers: null,
});

/** Shows a refund. */
export const refundView = (refund: GatewayRefund, order: GatewayOrder) => ({
  cf_refund_id: refund.id,
  cf_payment_id: refund.payment_id,
  refund_id: `refund_${refund.id}`,
  order_id: order.id,
  entity: 'refund',
  refund_amount: rupees(refund.amount_paise),
  refund_currency: order.currency,
  refund_type: 'MERCHANT_INITIATED',
  refund_status: 'SUCCESS',
  refund_arn: refund.id,
  status_description: 'Refund processed successfully',
  refund_mode: 'STANDARD',
  created_at: timeText(new Date(refund.created_at)),
  processed_at: timeText(new Date(refund.created_at)),
});

/** Shows the refund of a webhook, in which ids are numbers. */
export const webhookRefundView = (refund: GatewayRefund, order: GatewayOrder) => ({
  ...refundView(refund, order),
  cf_refund_id: jsonDecimal(refund.id),
  cf_payment_id: jsonDecimal(refund.payment_id),
});

/** Shows the refund of a charge, as its webhook does. */
export const chargeRefundView = (refund: GatewayRefund, order: GatewayOrder) => ({
  payment_id: order.id,
  cf_payment_id: refund.payment_id,
  refund_id: `refund_${refund.id}`,
  cf_refund_id: refund.id,
  refund_amount: rupees(refund.amount_paise),
  refund_speed: 'STANDARD',
  refund_status: 'SUCCESS',
  failure_details: '',
});

interface Disputed {
  readonly payment: GatewayPayment;
  readonly order: GatewayOrder;
}

const orderDetails = ({ payment, order }: Disputed) => ({
  order_id: order.id,
  order_currency: order.currency,
  order_amount: rupees(order.amount_paise),
  cf_payment_id: payment.id,
  payment_currency: payment.currency,
  payment_amount: rupees(payment.amount_paise),
});

const disputePart = (dispute: GatewayDispute) => ({
  dispute_type: 'CHARGEBACK',
  reason_code: '1402',
  reason_description: 'Duplicate Processing',
  dispute_amount: rupees(dispute.amount_paise),
  dispute_status: 'CHARGEBACK_MERCHANT_LOST',
  created_at: timeText(new Date(dispute.created_at)),
  updated_at: timeText(new Date(dispute.created_at)),
  resolved_at: timeText(new Date(dispute.created_at)),
  cf_dispute_remarks: 'The dispute was lost',
});

/** Shows a dispute. Its id is a number. */
export const disputeView = (dispute: GatewayDispute, disputed: Disputed) => ({
  dispute_id: jsonDecimal(dispute.id),
  ...disputePart(dispute),
  order_details: orderDetails(disputed),
});

/** Shows the dispute of a webhook, in which its id is text. */
export const webhookDisputeView = (dispute: GatewayDispute, disputed: Disputed) => ({
  dispute: { dispute_id: dispute.id, ...disputePart(dispute) },
  order_details: orderDetails(disputed),
});

const chargeStatuses = { pending: 'PENDING', captured: 'SUCCESS', failed: 'FAILED' } as const;

/** Shows a charge of a subscription. */
export const chargeView = (charge: Charge) => ({
  payment_id: charge.order_id,
  cf_payment_id: charge.id,
  cf_order_id: '',
  subscription_id: subscriptionOf(charge),
  payment_type: 'CHARGE',
  payment_amount: rupees(charge.amount_paise),
  payment_schedule_date: extraText(charge.extra, 'payment_schedule_date'),
  payment_initiated_date: timeText(new Date(charge.created_at)),
  payment_remarks: null,
  retry_attempts: 0,
  payment_status: chargeStatuses[charge.status],
  failure_details: { failure_reason: charge.status === 'failed' ? 'DEBIT FAILED' : null },
});
