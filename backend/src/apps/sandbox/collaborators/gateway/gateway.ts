import { z } from 'zod';
import {
  fieldsOf,
  okAnswer,
  textOf,
  type Answer,
  type Call,
  type Operation,
  type Collaborator,
} from '../../core/collaborator.ts';
import { basicCredentials, isSameSecret } from '../../core/credentials.ts';
import { oddRow } from '../../core/odd-rows.ts';
import { overstateItems, overstatePaise } from '../../core/wrong-amount.ts';
import {
  createCheckoutSimulator,
  type GatewaySimulator,
  type GatewayDeps,
  type SimulatedGateway,
} from '../../core/create-checkout-simulator.ts';
import {
  createGatewayStore,
  prefixedIds,
  type GatewayDebit,
  type GatewayOrder,
  type GatewayStore,
} from '../../core/gateway-store.ts';
import { createNeutralProtocol } from './gateway-webhooks.ts';

const amountPaise = z.number().int().positive().max(Number.MAX_SAFE_INTEGER);
const currency = z.string().regex(/^[A-Z]{3}$/u);
const name = z.string().min(1).max(128);

/** Describes the body of POST orders. */
const orderSchema = z.object({
  amount_paise: amountPaise,
  currency,
  receipt: name,
  expires_at: z.iso.datetime({ offset: true }).nullish(),
});

/**
 * Describes the body of POST debits. A repeat has the same `reference`, or without it the same
 * order's id, and returns the first debit.
 */
const debitSchema = z.object({
  order_id: name,
  mandate_token: z.string().min(1).max(256),
  amount_paise: amountPaise,
  currency: currency.optional(),
  reference: name.optional(),
});

/** Returns the neutral gateway's error body. */
const gatewayError = (code: string, message: string, field?: string) => ({
  error: { code, message, ...(field !== undefined && { field }) },
});

/** Returns the body by its schema, or the 400 that names the first wrong field. */
const readBody = <S extends z.ZodType>(
  schema: S,
  body: unknown,
): { value: z.output<S> } | { refused: Answer } => {
  const parsed = schema.safeParse(body);
  if (parsed.success) return { value: parsed.data };
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.');
  const message = issue?.message ?? 'The body is not valid';
  return { refused: { status: 400, body: gatewayError('BAD_REQUEST', message, field) } };
};

interface OperationDeps {
  readonly store: GatewayStore;
  readonly simulator: GatewaySimulator;
}

const notFound = (kind: string): Answer => ({
  status: 404,
  body: gatewayError('NOT_FOUND', `There is no such ${kind}`),
});

const misstate = overstatePaise('amount_paise');
const misstateItems = overstateItems('amount_paise');

const debitView = ({ mandate_token: _secret, ...debit }: GatewayDebit) => debit;

const orderView = (store: GatewayStore, order: GatewayOrder) => ({
  ...order,
  status: store.isPaid(order.id) ? 'paid' : 'created',
});

const createOrder = ({ store }: OperationDeps, { body }: Call): Answer => {
  const read = readBody(orderSchema, body);
  if ('refused' in read) return read.refused;
  const { expires_at = null, ...details } = read.value;
  const known = store.orderByReceipt(details.receipt);
  return okAnswer(orderView(store, known ?? store.addOrder({ ...details, expires_at })));
};

const getOrder = ({ store }: OperationDeps, { params }: Call): Answer => {
  const order = store.order(params['orderId']);
  return order === undefined ? notFound('order') : okAnswer(orderView(store, order));
};

const findOrders = ({ store }: OperationDeps, { query }: Call): Answer => {
  const order = store.orderByReceipt(query.get('receipt') ?? '');
  return okAnswer({ items: order === undefined ? [] : [orderView(store, order)] });
};

const listPayments = ({ store }: OperationDeps, { params }: Call): Answer => {
  const order = store.order(params['orderId']);
  if (order === undefined) return notFound('order');
  return okAnswer({ items: store.paymentsOf(order.id) });
};

const listRefunds = ({ store }: OperationDeps, { params }: Call): Answer => {
  const payment = store.payment(params['paymentId']);
  if (payment === undefined) return notFound('payment');
  return okAnswer({ items: store.refundsOf(payment.id) });
};

const listDisputes = ({ store }: OperationDeps, { params }: Call): Answer => {
  const payment = store.payment(params['paymentId']);
  if (payment === undefined) return notFound('payment');
  return okAnswer({ items: store.disputesOf(payment.id) });
};

/** Describes a page of the account's list by its period, its size and its offset. */
const pageSchema = z.object({
  from: z.iso.datetime({ offset: true }),
  to: z.iso.datetime({ offset: true }),
  count: z.coerce.number().int().min(1).max(100).default(100),
  skip: z.coerce.number().int().min(0).default(0),
});

/** Answers one page of rows of the whole account, newest first. */
const listByTime = (
  { query }: Call,
  newest: readonly { readonly created_at: string }[],
): Answer => {
  const read = readBody(pageSchema, Object.fromEntries(query));
  if ('refused' in read) return read.refused;
  const { count, skip } = read.value;
  const [from, to] = [Date.parse(read.value.from), Date.parse(read.value.to)];
  const isWithin = (time: string): boolean => Date.parse(time) >= from && Date.parse(time) <= to;
  const rows = newest.filter(({ created_at: createdAt }) => isWithin(createdAt));
  return okAnswer({ items: rows.slice(skip, skip + count) });
};

const debit = ({ store, simulator }: OperationDeps, { body }: Call): Answer => {
  const read = readBody(debitSchema, body);
  if ('refused' in read) return read.refused;
  const { order_id, amount_paise, mandate_token } = read.value;
  const order = store.order(order_id);
  if (order === undefined) return notFound('order');
  const reference = read.value.reference ?? order_id;
  const known = store.debitByReference(reference);
  if (known !== undefined) return okAnswer(debitView(known));
  const currency = read.value.currency ?? order.currency;
  const details = { order_id, reference, mandate_token, amount_paise, currency };
  const added = store.addDebit({ ...details, status: 'pending' });
  simulator.endDebitLater(added);
  return okAnswer(debitView(added));
};

/** Returns an unrelated row that a list always contains. */
const oddOf = (identity: Readonly<Record<string, unknown>>) =>
  oddRow(
    { id: null, ...identity },
    { amount: 'amount_paise', status: 'status', time: 'created_at' },
  );

interface AccountList {
  readonly name: string;
  readonly path: string;
  /** Identifies the unrelated row that the list always contains. */
  readonly odd: Readonly<Record<string, string>>;
  readonly rows: () => readonly { readonly created_at: string }[];
}

const accountOperation = ({ name, path, odd, rows }: AccountList): Operation => ({
  name,
  method: 'GET',
  path,
  shape: { state: 'status', figure: 'amount_paise' },
  oddRows: [oddOf(odd)],
  handle: (call) => listByTime(call, rows()),
  misstate: misstateItems,
});

/** Serves the lists of the whole account. */
const accountOperations = ({ store }: OperationDeps): readonly Operation[] => {
  const odd = { payment_id: 'pay_of_another' };
  return [
    accountOperation({
      name: 'list-payments',
      path: '/v1/payments',
      odd: { order_id: 'order_of_another' },
      rows: () => store.newestPayments(Number.MAX_SAFE_INTEGER),
    }),
    accountOperation({ name: 'get-refund', path: '/v1/refunds', odd, rows: () => store.refunds() }),
    accountOperation({
      name: 'get-dispute',
      path: '/v1/disputes',
      odd,
      rows: () => store.disputes(),
    }),
  ];
};

/** Serves the neutral gateway's protocol: orders, payments, refunds, disputes and debits. */
const gatewayOperations = (deps: OperationDeps): readonly Operation[] => {
  const orders = '/v1/orders';
  return [
    ...accountOperations(deps),
    {
      name: 'create-order',
      method: 'POST',
      path: orders,
      handle: (call) => createOrder(deps, call),
      idempotencyKey: ({ body }) => textOf(fieldsOf(body)['receipt']),
      misstate,
    },
    {
      name: 'get-order',
      method: 'GET',
      path: orders,
      oddRows: [oddOf({ receipt: 'receipt-of-another' })],
      handle: (call) => findOrders(deps, call),
      misstate: misstateItems,
    },
    {
      name: 'get-order',
      method: 'GET',
      path: `${orders}/:orderId`,
      shape: { spare: ['expires_at', 'created_at'], state: 'status' },
      handle: (call) => getOrder(deps, call),
      misstate,
    },
    {
      name: 'list-payments',
      method: 'GET',
      path: `${orders}/:orderId/payments`,
      shape: { spare: ['method'], state: 'status', figure: 'amount_paise' },
      oddRows: [oddOf({ order_id: 'order_of_another' })],
      handle: (call) => listPayments(deps, call),
      misstate: misstateItems,
    },
    {
      name: 'get-refund',
      method: 'GET',
      path: '/v1/payments/:paymentId/refunds',
      shape: { state: 'status', figure: 'amount_paise' },
      oddRows: [oddOf({ payment_id: 'pay_of_another' })],
      handle: (call) => listRefunds(deps, call),
      misstate: misstateItems,
    },
    {
      name: 'get-dispute',
      method: 'GET',
      path: '/v1/payments/:paymentId/disputes',
      shape: { state: 'status', figure: 'amount_paise' },
      oddRows: [oddOf({ payment_id: 'pay_of_another' })],
      handle: (call) => listDisputes(deps, call),
      misstate: misstateItems,
    },
    {
      name: 'debit',
      method: 'POST',
      path: '/v1/debits',
      handle: (call) => debit(deps, call),
      idempotencyKey: ({ body }) =>
        textOf(fieldsOf(body)['reference']) ?? textOf(fieldsOf(body)['order_id']),
      misstate,
    },
  ];
};

interface GatewayOptions extends GatewayDeps {
  readonly keyId: string;
  readonly keySecret: string;
  readonly webhookSecret: string;
}

/** Creates the neutral payment gateway, which the service calls `sandbox`. */
export const createGateway = (options: GatewayOptions): SimulatedGateway => {
  const { clock, random, keyId, keySecret } = options;
  const ids = { order: 'sbx_order', payment: 'sbx_pay', refund: 'sbx_rfnd' };
  const reversalIds = { dispute: 'sbx_dspt', debit: 'sbx_debit' };
  const store = createGatewayStore(clock, prefixedIds(random, { ...ids, ...reversalIds }));
  const protocol = createNeutralProtocol(options);
  const simulator = createCheckoutSimulator({ ...options, store, protocol });
  const collaborator: Collaborator = {
    name: protocol.name,
    mountPath: '/gateway',
    operations: gatewayOperations({ store, simulator }),
    refuseUnauthenticated: ({ headers }) =>
      isSameSecret(basicCredentials(headers), `${keyId}:${keySecret}`)
        ? undefined
        : { status: 401, body: gatewayError('UNAUTHENTICATED', 'The API key is not valid') },
    errorBody: (status, message) =>
      status === 200 ? undefined : gatewayError('GATEWAY_ERROR', message),
    store,
  };
  return { collaborator, simulator };
};
