import {
  fieldsOf,
  okAnswer,
  textOf,
  type Answer,
  type Call,
  type Operation,
} from '../../core/collaborator.ts';
import type { GatewayStore } from '../../core/gateway-store.ts';
import { overstateItems, overstatePaise } from '../../core/wrong-amount.ts';
import { badRequest, readBody, unknownId } from '../razorpayx/razorpayx.wire.ts';
import {
  collectionView,
  disputeView,
  isSparseOrder,
  oddEntity,
  sparePaymentFields,
  orderView,
  paymentView,
  refundView,
  secondsOf,
} from './razorpay-views.ts';
import { orderSchema, pageSchema, refundSchema, usedReceipt } from './razorpay.wire.ts';
import { recurringOperations, type RazorpayDeps } from './recurring-operations.ts';

const misstate = overstatePaise('amount');
const misstateItems = overstateItems('amount');

const createOrder = ({ store }: RazorpayDeps, { body }: Call): Answer => {
  const read = readBody(orderSchema, body);
  if ('refused' in read) return read.refused;
  const { amount, currency, receipt, notes } = read.value;
  if (store.orderByReceipt(receipt) !== undefined) return usedReceipt;
  const given = { amount_paise: amount, currency, receipt, expires_at: null };
  return okAnswer(orderView(store, store.addOrder({ ...given, extra: { notes } })));
};

const getOrder = ({ store }: RazorpayDeps, { params }: Call): Answer => {
  const order = store.order(params['orderId']);
  return order === undefined ? unknownId : okAnswer(orderView(store, order));
};

const listOrders = ({ store }: RazorpayDeps, { query }: Call): Answer => {
  const read = readBody(pageSchema, Object.fromEntries(query));
  if ('refused' in read) return read.refused;
  const { count, skip, receipt } = read.value;
  const orders = store
    .newestOrders(Number.MAX_SAFE_INTEGER)
    .filter((order) => (receipt ?? order.receipt) === order.receipt)
    .slice(skip, skip + count);
  const rows = orders.map((order) => orderView(store, order));
  return okAnswer(collectionView(rows));
};

/** Serves orders. A receipt has at most one order, which is found by id or by receipt. */
const orderOperations = (deps: RazorpayDeps): readonly Operation[] => {
  const path = '/v1/orders';
  return [
    {
      name: 'create-order',
      method: 'POST',
      path,
      handle: (call) => createOrder(deps, call),
      idempotencyKey: ({ body }) => textOf(fieldsOf(body)['receipt']),
      misstate,
    },
    {
      name: 'get-order',
      method: 'GET',
      path,
      // The odd row has another type, since this list is filtered only by its query.
      oddRows: [oddEntity('invoice')],
      handle: (call) => listOrders(deps, call),
      misstate: misstateItems,
    },
    {
      name: 'get-order',
      method: 'GET',
      path: `${path}/:orderId`,
      shape: { spare: ['offer_id', 'attempts'], needed: ['notes'], state: 'status' },
      handle: (call) => getOrder(deps, call),
      misstate,
    },
  ];
};

const listPayments = ({ store }: RazorpayDeps, { params }: Call): Answer => {
  const order = store.order(params['orderId']);
  if (order === undefined) return unknownId;
  const pending = store.pendingDebits().filter((debit) => debit.order_id === order.id);
  const payments = [...store.paymentsOf(order.id), ...pending].toReversed();
  const rows = payments.map((payment) => paymentView(store, payment));
  return okAnswer(collectionView(rows));
};

const getPayment = ({ store }: RazorpayDeps, { params }: Call): Answer => {
  const id = params['paymentId'] ?? '';
  const payment = store.payment(id) ?? store.debit(id);
  return payment === undefined ? unknownId : okAnswer(paymentView(store, payment));
};

/**
 * Serves the payments of an order or of the account, and a payment by its id. Debits that have not
 * ended are included.
 */
const paymentOperations = (deps: RazorpayDeps): readonly Operation[] => {
  return [
    {
      name: 'list-payments',
      method: 'GET',
      path: '/v1/orders/:orderId/payments',
      shape: { spare: sparePaymentFields, state: 'status', figure: 'amount' },
      isSparse: ({ params }) => isSparseOrder(deps.store.order(params['orderId'])),
      oddRows: [oddEntity('payment', { order_id: 'order_of_another' })],
      handle: (call) => listPayments(deps, call),
      misstate: misstateItems,
    },
    {
      name: 'list-payments',
      method: 'GET',
      path: '/v1/payments',
      shape: { spare: sparePaymentFields, state: 'status', figure: 'amount' },
      oddRows: [oddEntity('payment', { order_id: 'order_of_another' })],
      handle: (call) => listAllPayments(deps, call),
      misstate: misstateItems,
    },
    {
      name: 'list-payments',
      method: 'GET',
      path: '/v1/payments/:paymentId',
      handle: (call) => getPayment(deps, call),
      misstate,
    },
  ];
};

const currencyOf = (store: GatewayStore, paymentId: string): string =>
  store.payment(paymentId)?.currency ?? 'INR';

const listRefunds = ({ store }: RazorpayDeps, { params, query }: Call): Answer => {
  const payment = store.payment(params['paymentId']);
  if (payment === undefined) return unknownId;
  const read = readBody(pageSchema, Object.fromEntries(query));
  if ('refused' in read) return read.refused;
  const { count, skip } = read.value;
  const refunds = store
    .refundsOf(payment.id)
    .toReversed()
    .slice(skip, skip + count)
    .map((row) => refundView(row, payment.currency));
  return okAnswer(collectionView(refunds));
};

const showRefund = ({ store }: RazorpayDeps, id: string | undefined): Answer => {
  const refund = store.refund(id);
  if (refund === undefined) return unknownId;
  return okAnswer(refundView(refund, currencyOf(store, refund.payment_id)));
};

const createRefund = (deps: RazorpayDeps, { params, body }: Call): Answer => {
  const read = readBody(refundSchema, body ?? {});
  if ('refused' in read) return read.refused;
  const requested = { amountPaise: read.value.amount };
  const refunded = deps.simulator.refund(params['paymentId'] ?? '', requested);
  if (refunded === undefined) return unknownId;
  if ('leftPaise' in refunded) {
    return badRequest('The total refund amount is greater than the refund payment amount');
  }
  return showRefund(deps, refunded.reference);
};

/** Answers one page of rows of the whole account within a period, newest first. */
const listByTime = <T extends { readonly created_at: string }>(
  { query }: Call,
  newest: readonly T[],
  view: (row: T) => unknown,
): Answer => {
  const read = readBody(pageSchema, Object.fromEntries(query));
  if ('refused' in read) return read.refused;
  const { count, skip, from = 0, to = Number.MAX_SAFE_INTEGER } = read.value;
  const rows = newest
    .filter(({ created_at: time }) => secondsOf(time) >= from && secondsOf(time) <= to)
    .slice(skip, skip + count);
  return okAnswer(collectionView(rows.map(view)));
};

const listAllPayments = ({ store }: RazorpayDeps, call: Call): Answer =>
  listByTime(call, store.newestPayments(Number.MAX_SAFE_INTEGER), (row) => paymentView(store, row));

const listAllRefunds = ({ store }: RazorpayDeps, call: Call): Answer =>
  listByTime(call, store.refunds(), (row) => refundView(row, currencyOf(store, row.payment_id)));

const listDisputes = ({ store }: RazorpayDeps, call: Call): Answer =>
  listByTime(call, store.disputes(), (row) => disputeView(row, currencyOf(store, row.payment_id)));

const getDispute = ({ store }: RazorpayDeps, { params }: Call): Answer => {
  const dispute = store.disputes().find(({ id }) => id === params['disputeId']);
  if (dispute === undefined) return unknownId;
  return okAnswer(disputeView(dispute, currencyOf(store, dispute.payment_id)));
};

const oddDisputes = [
  oddEntity('dispute', { payment_id: 'pay_of_another' }),
  oddEntity('dispute', { id: 'dispute_of_nobody', payment_id: null }),
];

/** Serves refunds and disputes. */
const reversalOperations = (deps: RazorpayDeps): readonly Operation[] => {
  return [
    {
      name: 'get-refund',
      method: 'GET',
      path: '/v1/payments/:paymentId/refunds',
      shape: { spare: ['entity', 'created_at'], state: 'status', figure: 'amount' },
      oddRows: [oddEntity('refund', { payment_id: 'pay_of_another' })],
      handle: (call) => listRefunds(deps, call),
      misstate: misstateItems,
    },
    {
      name: 'get-refund',
      method: 'GET',
      path: '/v1/payments/:paymentId/refunds/:refundId',
      handle: ({ params }) => showRefund(deps, params['refundId']),
      misstate,
    },
    {
      name: 'get-refund',
      method: 'GET',
      path: '/v1/refunds',
      shape: { spare: ['entity', 'created_at'], state: 'status', figure: 'amount' },
      oddRows: [oddEntity('refund', { payment_id: 'pay_of_another' })],
      handle: (call) => listAllRefunds(deps, call),
      misstate: misstateItems,
    },
    {
      name: 'get-refund',
      method: 'GET',
      path: '/v1/refunds/:refundId',
      handle: ({ params }) => showRefund(deps, params['refundId']),
      misstate,
    },
    {
      name: 'create-refund',
      method: 'POST',
      path: '/v1/payments/:paymentId/refund',
      handle: (call) => createRefund(deps, call),
      misstate,
    },
    {
      name: 'get-dispute',
      method: 'GET',
      path: '/v1/disputes',
      shape: { spare: ['entity', 'amount_deducted'], state: 'status', figure: 'amount' },
      oddRows: oddDisputes,
      handle: (call) => listDisputes(deps, call),
      misstate: misstateItems,
    },
    {
      name: 'get-dispute',
      method: 'GET',
      path: '/v1/disputes/:disputeId',
      handle: (call) => getDispute(deps, call),
      misstate,
    },
  ];
};

/** Serves Razorpay's protocol (pages api/orders, api/payments, api/refunds, api/disputes). */
export const razorpayOperations = (deps: RazorpayDeps): readonly Operation[] => [
  ...orderOperations(deps),
  ...paymentOperations(deps),
  ...recurringOperations(deps),
  ...reversalOperations(deps),
];
