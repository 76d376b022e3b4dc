import { fieldsOf } from '../../core/collaborator.ts';
import { isSparseCustomer } from '../../core/left-out.ts';
import { oddRow } from '../../core/odd-rows.ts';
import type {
  GatewayDebit,
  GatewayDispute,
  GatewayOrder,
  GatewayPayment,
  GatewayRefund,
  GatewayStore,
} from '../../core/gateway-store.ts';

/** Returns whole seconds, as the gateway counts time. */
export const secondsOf = (iso: string): number => Math.floor(Date.parse(iso) / 1000);

/** Shows an order as the API and the webhooks do (page api/orders/entity). */
export const orderView = (store: GatewayStore, order: GatewayOrder) => {
  const payments = store.paymentsOf(order.id);
  const isPaid = store.isPaid(order.id);
  const unpaid = payments.length === 0 ? 'created' : 'attempted';
  return {
    id: order.id,
    entity: 'order',
    amount: order.amount_paise,
    amount_paid: isPaid ? order.amount_paise : 0,
    amount_due: isPaid ? 0 : order.amount_paise,
    currency: order.currency,
    receipt: order.receipt,
    offer_id: null,
    status: isPaid ? 'paid' : unpaid,
    attempts: payments.length,
    notes: order.extra?.['notes'] ?? [],
    created_at: secondsOf(order.created_at),
  };
};

/** Returns the instrument of a payment in the field of its method. */
const instrumentOf = (method: string) => ({
  card_id: method === 'card' ? 'card_sandbox' : null,
  bank: method === 'netbanking' ? 'HDFC' : null,
  wallet: method === 'wallet' ? 'payzapp' : null,
  vpa: method === 'upi' ? 'customer@exampleupi' : null,
});

const errorOf = (status: string) => {
  const isFailed = status === 'failed';
  return {
    error_code: isFailed ? 'BAD_REQUEST_ERROR' : null,
    error_description: isFailed ? 'Payment failed' : null,
    error_source: isFailed ? 'customer' : null,
    error_step: isFailed ? 'payment_authentication' : null,
    error_reason: isFailed ? 'payment_failed' : null,
  };
};

const statusOf = (payment: GatewayPayment | GatewayDebit, refunded: number): string => {
  if (payment.status === 'pending') return 'created';
  const isRefunded = payment.status === 'captured' && refunded >= payment.amount_paise;
  return isRefunded ? 'refunded' : payment.status;
};

const refundStatusOf = (refunded: number, amount: number): string | null => {
  if (refunded === 0) return null;
  return refunded >= amount ? 'full' : 'partial';
};

/** Shows a payment, or a debit that has not ended, as the API and the webhooks do. */
export const paymentView = (store: GatewayStore, payment: GatewayPayment | GatewayDebit) => {
  const method = 'method' in payment ? payment.method : 'upi';
  const refunded = store
    .refundsOf(payment.id)
    .reduce((sum, { amount_paise: amount }) => sum + amount, 0);
  return {
    id: payment.id,
    entity: 'payment',
    amount: payment.amount_paise,
    currency: payment.currency,
    status: statusOf(payment, refunded),
    order_id: payment.order_id,
    invoice_id: null,
    international: false,
    method,
    amount_refunded: refunded,
    refund_status: refundStatusOf(refunded, payment.amount_paise),
    captured: payment.status === 'captured',
    description: null,
    ...instrumentOf(method),
    email: 'customer@example.com',
    contact: '+919876543210',
    customer_id: payment.extra?.['customer_id'] ?? null,
    token_id: payment.extra?.['token_id'] ?? null,
    notes: payment.extra?.['notes'] ?? [],
    fee: null,
    tax: null,
    ...errorOf(payment.status),
    acquirer_data: {},
    created_at: secondsOf(payment.created_at),
  };
};

/** Shows a refund as the API and the webhooks do (page api/refunds/entity). */
export const refundView = (refund: GatewayRefund, currency: string) => ({
  id: refund.id,
  entity: 'refund',
  amount: refund.amount_paise,
  currency,
  payment_id: refund.payment_id,
  notes: [],
  receipt: null,
  acquirer_data: { arn: null },
  created_at: secondsOf(refund.created_at),
  batch_id: null,
  status: refund.status,
  speed_processed: 'normal',
  speed_requested: 'normal',
});

/** Shows a dispute as the API and the webhooks do (page api/disputes/entity). */
export const disputeView = (dispute: GatewayDispute, currency: string) => ({
  id: dispute.id,
  entity: 'dispute',
  payment_id: dispute.payment_id,
  amount: dispute.amount_paise,
  currency,
  amount_deducted: dispute.status === 'lost' ? dispute.amount_paise : 0,
  reason_code: 'chargeback_processing_error',
  respond_by: secondsOf(dispute.created_at),
  status: dispute.status,
  phase: 'chargeback',
  created_at: secondsOf(dispute.created_at),
});

/**
 * The fields of a payment that Razorpay may leave out, and for which the service has a substitute.
 */
export const sparePaymentFields = ['method', 'email', 'contact', 'vpa', 'bank', 'description'];

/** Returns true for the order of a customer whose optional fields Razorpay leaves out. */
export const isSparseOrder = (order: GatewayOrder | undefined): boolean =>
  isSparseCustomer(fieldsOf(order?.extra?.['notes'])['contact']);

const oddNames = { amount: 'amount', status: 'status', time: 'created_at' };

/** Returns an unrelated row that the API's list always contains. */
export const oddEntity = (entity: string, identity: Readonly<Record<string, unknown>> = {}) =>
  oddRow({ id: `${entity}_of_another`, entity, ...identity }, oddNames);

/** Shows a list as the API does. */
export const collectionView = (items: readonly unknown[]) => ({
  entity: 'collection',
  count: items.length,
  items,
});
