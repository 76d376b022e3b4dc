import { addMs } from '../../../../platform/clock/clock.ts';
import {
  fieldsOf,
  okAnswer,
  textOf,
  type Answer,
  type Call,
  type Collaborator,
  type CollaboratorStore,
  type Operation,
} from '../../core/collaborator.ts';
import {
  createCheckoutSimulator,
  type GatewayDeps,
  type SimulatedGateway,
} from '../../core/create-checkout-simulator.ts';
import { isSameSecret } from '../../core/credentials.ts';
import {
  createGatewayStore,
  type GatewayOrder,
  type GatewayStore,
} from '../../core/gateway-store.ts';
import { isSparseCustomer } from '../../core/left-out.ts';
import { oddRow } from '../../core/odd-rows.ts';
import { overstateDecimal } from '../../core/wrong-amount.ts';
import {
  adoptMandate,
  createMandateStore,
  mandateOperations,
  type MandateStore,
} from './cashfree-mandates.ts';
import {
  disputeView,
  orderView,
  paymentView,
  refundView,
  sparePaymentFields,
  subscriptionOf,
} from './cashfree-views.ts';
import { createCashfreeProtocol, isExpired } from './cashfree-webhooks.ts';
import {
  cashfreeError,
  idempotencyRefusal,
  orderSchema,
  readBody,
  refusal,
} from './cashfree.wire.ts';

interface CashfreeOptions extends GatewayDeps {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly webhookSecret: string;
}

interface OrderDeps extends Pick<GatewayDeps, 'clock' | 'random'> {
  readonly store: GatewayStore;
  readonly mandates: MandateStore;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
const shortestLifeMs = 15 * minuteMs;
const longestLifeMs = 30 * dayMs;

const noOrder = refusal(404, 'order_not_found', 'Order Reference Id does not exist');
const noPayment = refusal(404, 'payment_not_found', 'Payment does not exist');

/** Returns the payments of an order, without charges of its subscription. */
const paymentsOf = ({ store }: OrderDeps, orderId: string) =>
  store.paymentsOf(orderId).filter((payment) => subscriptionOf(payment) === '');

const showOrder = (deps: OrderDeps, order: GatewayOrder) => {
  const isPaid = paymentsOf(deps, order.id).some(({ status }) => status === 'captured');
  if (isPaid) return orderView(order, 'PAID');
  return orderView(order, isExpired(order, deps.clock.now()) ? 'EXPIRED' : 'ACTIVE');
};

const refuseExpiry = ({ clock }: OrderDeps, expiresAt: Date): Answer | undefined => {
  const lifeMs = expiresAt.getTime() - clock.now().getTime();
  if (lifeMs > shortestLifeMs && lifeMs < longestLifeMs) return undefined;
  return refusal(
    400,
    'order_expiry_time_invalid',
    'order_expiry_time : Expiry time should be more than 15 min and less than 30 days',
  );
};

const createOrder = (deps: OrderDeps, { body, headers }: Call): Answer => {
  const { clock, random, store, mandates } = deps;
  const read = readBody(orderSchema, body);
  if ('refused' in read) return read.refused;
  const { order_id: id = `order_${random.digits(12)}`, ...details } = read.value;
  const key = textOf(headers['x-idempotency-key']) ?? '';
  const request = { key, body: JSON.stringify(body) };
  const known = store.order(id);
  if (known !== undefined) {
    if (key === '' || known.extra?.['key'] !== key) {
      return refusal(409, 'order_already_exists', 'order with same id is already present');
    }
    return known.extra['body'] === request.body
      ? okAnswer(showOrder(deps, known))
      : idempotencyRefusal;
  }
  const { order_expiry_time: expiry } = details;
  const expiresAt = expiry === undefined ? addMs(clock.now(), longestLifeMs - 1) : new Date(expiry);
  const refused = refuseExpiry(deps, expiresAt);
  if (refused !== undefined) return refused;
  const order = store.addOrder({
    id,
    receipt: id,
    amount_paise: details.order_amount,
    currency: details.order_currency,
    expires_at: expiresAt.toISOString(),
    extra: {
      ...request,
      cf_order_id: random.digits(10),
      session_id: `session_${random.bytes(32).toString('base64url')}`,
      customer_details: details.customer_details,
      order_note: details.order_note ?? null,
      order_tags: details.order_tags ?? null,
    },
  });
  adoptMandate(mandates, order);
  return okAnswer(showOrder(deps, order));
};

/** Answers with the view of the path's order that `show` returns. */
const ofOrder =
  (deps: OrderDeps, show: (deps: OrderDeps, order: GatewayOrder) => unknown) =>
  ({ params }: Call): Answer => {
    const order = deps.store.order(params['orderId']);
    return order === undefined ? noOrder : okAnswer(show(deps, order));
  };

const showPayments = (deps: OrderDeps, order: GatewayOrder) =>
  paymentsOf(deps, order.id).map((payment) => paymentView(payment, order));

const showRefunds = (deps: OrderDeps, order: GatewayOrder) =>
  paymentsOf(deps, order.id).flatMap(({ id }) =>
    deps.store.refundsOf(id).map((refund) => refundView(refund, order)),
  );

const listDisputes = ({ store }: OrderDeps, { params }: Call): Answer => {
  const payment = store.payment(params['paymentId']);
  const order = store.order(payment?.order_id);
  if (payment === undefined || order === undefined) return noPayment;
  const disputes = store.disputesOf(payment.id);
  return okAnswer(disputes.map((dispute) => disputeView(dispute, { payment, order })));
};

/** Returns true for the order of a customer whose optional fields Cashfree leaves out. */
const isSparseOrder = (fields: Readonly<Record<string, unknown>>): boolean =>
  isSparseCustomer(fieldsOf(fields['customer_details'])['customer_phone']);

// All of these fields are optional in the types of `cashfree-pg`.
const orderShape = {
  spare: ['cf_order_id', 'entity', 'order_note', 'created_at', 'order_expiry_time'],
  needed: ['payment_session_id', 'customer_details'],
  state: 'order_status',
};
const paymentShape = {
  spare: sparePaymentFields,
  state: 'payment_status',
  figure: 'payment_amount',
};

/** Returns an unrelated row that the API's list always contains. */
const oddOf = (
  kind: 'payment' | 'refund' | 'dispute',
  identity: Readonly<Record<string, unknown>>,
) => oddRow(identity, { amount: `${kind}_amount`, status: `${kind}_status`, time: 'created_at' });

/** Serves orders, their payments and refunds, and disputes. */
const orderOperations = (deps: OrderDeps): readonly Operation[] => {
  const isSparse = ({ params }: Call) =>
    isSparseOrder(fieldsOf(deps.store.order(params['orderId'])?.extra));
  const order = '/orders/:orderId';
  return [
    {
      name: 'create-order',
      method: 'POST',
      path: '/orders',
      shape: orderShape,
      isSparse: ({ body }) => isSparseOrder(fieldsOf(body)),
      handle: (call) => createOrder(deps, call),
      idempotencyKey: ({ headers }) => textOf(headers['x-idempotency-key']),
      misstate: overstateDecimal('order_amount', 2, 100n),
    },
    {
      name: 'get-order',
      method: 'GET',
      path: order,
      shape: orderShape,
      isSparse,
      handle: ofOrder(deps, showOrder),
      misstate: overstateDecimal('order_amount', 2, 100n),
    },
    {
      name: 'list-payments',
      method: 'GET',
      path: `${order}/payments`,
      shape: paymentShape,
      isSparse,
      oddRows: [oddOf('payment', { cf_payment_id: null, order_id: 'order_of_another' })],
      handle: ofOrder(deps, showPayments),
      misstate: overstateDecimal('payment_amount', 2, 100n),
    },
    {
      name: 'get-refund',
      method: 'GET',
      path: `${order}/refunds`,
      shape: {
        spare: ['created_at', 'entity', 'order_id'],
        state: 'refund_status',
        figure: 'refund_amount',
      },
      isSparse,
      oddRows: [oddOf('refund', { cf_refund_id: null, cf_payment_id: '1000000000001' })],
      handle: ofOrder(deps, showRefunds),
      misstate: overstateDecimal('refund_amount', 2, 100n),
    },
    {
      name: 'get-dispute',
      method: 'GET',
      path: '/payments/:paymentId/disputes',
      shape: {
        spare: ['created_at', 'order_details'],
        state: 'dispute_status',
        figure: 'dispute_amount',
      },
      oddRows: [
        oddOf('dispute', { dispute_id: null, order_details: { cf_payment_id: '1000000000001' } }),
      ],
      handle: (call) => listDisputes(deps, call),
      misstate: overstateDecimal('dispute_amount', 2, 100n),
    },
  ];
};

/** Joins the records of payments and of mandates, as one collaborator saves them. */
const joinStores = (store: GatewayStore, mandates: MandateStore): CollaboratorStore => ({
  save: () => ({ payments: store.save(), mandates: mandates.save() }),
  load(value) {
    // Written by `save`. The file's version was checked.
    const saved = value as { readonly payments: unknown; readonly mandates: unknown };
    store.load(saved.payments);
    mandates.load(saved.mandates);
  },
  clear() {
    store.clear();
    mandates.clear();
  },
});

/** Creates Cashfree's payment gateway, with its subscriptions as mandates. */
export const createCashfree = (options: CashfreeOptions): SimulatedGateway => {
  const { clock, random, clientId, clientSecret } = options;
  // Cashfree's ids are numbers. A leading zero would be lost if an id is written as a number.
  const store = createGatewayStore(clock, () => `${1 + random.int(9)}${random.digits(12)}`);
  const mandates = createMandateStore();
  const protocol = createCashfreeProtocol({ ...options, store });
  const simulator = createCheckoutSimulator({ ...options, store, protocol });
  const deps = { clock, random, store, mandates, simulator };
  const collaborator: Collaborator = {
    name: protocol.name,
    mountPath: '/cashfree/pg',
    operations: [...orderOperations(deps), ...mandateOperations(deps)],
    refuseUnauthenticated({ headers }) {
      if (textOf(headers['x-api-version']) === undefined) {
        return refusal(400, 'version_missing', 'x-api-version is missing in the request');
      }
      const credentials = `${String(headers['x-client-id'])}:${String(headers['x-client-secret'])}`;
      if (isSameSecret(credentials, `${clientId}:${clientSecret}`)) return undefined;
      const body = cashfreeError('request_failed', 'authentication Failed', 'authentication_error');
      return { status: 401, body };
    },
    errorBody: (status, message) =>
      status === 200 ? undefined : cashfreeError('api_error', message, 'api_error'),
    store: joinStores(store, mandates),
  };
  return { collaborator, simulator };
};
