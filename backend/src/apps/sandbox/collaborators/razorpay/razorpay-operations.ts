import {
  fieldsOf,
  okAnswer,
  textOf,
  type Answer,
  type Call,
  type Operation,
} from '../../core/collaborator.ts';
import type { GatewayDebit, GatewayPayment } from '../../core/gateway-store.ts';
import { overstateItems, overstatePaise } from '../../core/wrong-amount.ts';
import { badRequest, readBody, unknownId } from '../razorpayx/razorpayx-wire.ts';
import {
  collectionView,
  disputeView,
  orderView,
  paymentView,
  refundView,
} from './razorpay-views.ts';
import { orderSchema, pageSchema, refundSchema, usedReceipt } from './razorpay-wire.ts';
import { recurringOperations, type RazorpayContext } from './recurring-operations.ts';

const misstate = overstatePaise('amount');
const misstateItems = overstateItems('amount');

/** Serves orders: one for a receipt, found by id and by receipt. */
const orderOperations = ({ store }: RazorpayContext): readonly Operation[] => {
  const createOrder = ({ body }: Call): Answer => {
    const read = readBody(orderSchema, body);
    if ('refused' in read) return read.refused;
    const { amount, currency, receipt, notes } = read.value;
    if (store.orderByReceipt(receipt) !== undefined) return usedReceipt;
    const given = { amount_paise: amount, currency, receipt, expires_at: null };
    return okAnswer(orderView(store, store.addOrder({ ...given, extra: { notes } })));
  };

  const getOrder = ({ params }: Call): Answer => {
    const order = store.order(params['orderId']);
    return order === undefined ? unknownId : okAnswer(orderView(store, order));
  };

  const listOrders = ({ query }: Call): Answer => {
    const read = readBody(pageSchema, Object.fromEntries(query));
    if ('refused' in read) return read.refused;
    const { count, skip, receipt } = read.value;
    const orders = store
      .newestOrders(Number.MAX_SAFE_INTEGER)
      .filter((order) => (receipt ?? order.receipt) === order.receipt)
      .slice(skip, skip + count);
    return okAnswer(collectionView(orders.map((order) => orderView(store, order))));
  };

  const path = '/v1/orders';
  return [
    {
      name: 'create-order',
      method: 'POST',
      path,
      handle: createOrder,
      idempotencyKey: ({ body }) => textOf(fieldsOf(body)['receipt']),
      misstate,
    },
    { name: 'get-order', method: 'GET', path, handle: listOrders, misstate: misstateItems },
    { name: 'get-order', method: 'GET', path: `${path}/:orderId`, handle: getOrder, misstate },
  ];
};

/** Serves the payments of an order, debits that have not ended among them, and one by its id. */
const paymentOperations = ({ store }: RazorpayContext): readonly Operation[] => {
  const pendingOf = (orderId: string): readonly GatewayDebit[] =>
    store.pendingDebits().filter((debit) => debit.order_id === orderId);

  const paymentOf = (id: string | undefined): GatewayPayment | GatewayDebit | undefined =>
    store.payment(id) ?? store.debit(id ?? '');

  const listPayments = ({ params }: Call): Answer => {
    const order = store.order(params['orderId']);
    if (order === undefined) return unknownId;
    const payments = [...store.paymentsOf(order.id), ...pendingOf(order.id)].toReversed();
    return okAnswer(collectionView(payments.map((payment) => paymentView(store, payment))));
  };

  const getPayment = ({ params }: Call): Answer => {
    const payment = paymentOf(params['paymentId']);
    return payment === undefined ? unknownId : okAnswer(paymentView(store, payment));
  };

  return [
    {
      name: 'list-payments',
      method: 'GET',
      path: '/v1/orders/:orderId/payments',
      handle: listPayments,
      misstate: misstateItems,
    },
    {
      name: 'list-payments',
      method: 'GET',
      path: '/v1/payments/:paymentId',
      handle: getPayment,
      misstate,
    },
  ];
};

/** Serves refunds and disputes. */
const reversalOperations = ({ store, simulator }: RazorpayContext): readonly Operation[] => {
  const currencyOf = (paymentId: string): string => store.payment(paymentId)?.currency ?? 'INR';

  const listRefunds = ({ params }: Call): Answer => {
    const payment = store.payment(params['paymentId']);
    if (payment === undefined) return unknownId;
    const refunds = store.refundsOf(payment.id).toReversed();
    return okAnswer(collectionView(refunds.map((one) => refundView(one, payment.currency))));
  };

  const showRefund = (id: string | undefined): Answer => {
    const refund = store.refund(id);
    if (refund === undefined) return unknownId;
    return okAnswer(refundView(refund, currencyOf(refund.payment_id)));
  };

  const createRefund = ({ params, body }: Call): Answer => {
    const read = readBody(refundSchema, body ?? {});
    if ('refused' in read) return read.refused;
    const played = simulator.refund(params['paymentId'] ?? '', { amountPaise: read.value.amount });
    if (played === undefined) return unknownId;
    if ('leftPaise' in played) {
      return badRequest('The total refund amount is greater than the refund payment amount');
    }
    return showRefund(played.reference);
  };

  const listDisputes = ({ query }: Call): Answer => {
    const read = readBody(pageSchema, Object.fromEntries(query));
    if ('refused' in read) return read.refused;
    const { count, skip } = read.value;
    const disputes = store.disputes().slice(skip, skip + count);
    return okAnswer(
      collectionView(disputes.map((one) => disputeView(one, currencyOf(one.payment_id)))),
    );
  };

  const getDispute = ({ params }: Call): Answer => {
    const dispute = store.disputes().find(({ id }) => id === params['disputeId']);
    if (dispute === undefined) return unknownId;
    return okAnswer(disputeView(dispute, currencyOf(dispute.payment_id)));
  };

  return [
    {
      name: 'get-refund',
      method: 'GET',
      path: '/v1/payments/:paymentId/refunds',
      handle: listRefunds,
      misstate: misstateItems,
    },
    {
      name: 'get-refund',
      method: 'GET',
      path: '/v1/payments/:paymentId/refunds/:refundId',
      handle: ({ params }) => showRefund(params['refundId']),
      misstate,
    },
    {
      name: 'get-refund',
      method: 'GET',
      path: '/v1/refunds/:refundId',
      handle: ({ params }) => showRefund(params['refundId']),
      misstate,
    },
    {
      name: 'create-refund',
      method: 'POST',
      path: '/v1/payments/:paymentId/refund',
      handle: createRefund,
      misstate,
    },
    {
      name: 'get-dispute',
      method: 'GET',
      path: '/v1/disputes',
      handle: listDisputes,
      misstate: misstateItems,
    },
    {
      name: 'get-dispute',
      method: 'GET',
      path: '/v1/disputes/:disputeId',
      handle: getDispute,
      misstate,
    },
  ];
};

/** Serves Razorpay's protocol (pages api/orders, api/payments, api/refunds, api/disputes). */
export const razorpayOperations = (context: RazorpayContext): readonly Operation[] => [
  ...orderOperations(context),
  ...paymentOperations(context),
  ...recurringOperations(context),
  ...reversalOperations(context),
];
