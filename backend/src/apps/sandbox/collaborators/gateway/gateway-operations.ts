import { fieldsOf, okAnswer, textOf, type Answer, type Call } from '../../kit/call.ts';
import type { Operation } from '../../kit/collaborator.ts';
import type { GatewayBooks } from './gateway-books.ts';
import type { GatewayTill } from './gateway-till.ts';
import type { GatewayDebit, GatewayOrder } from './gateway-types.ts';
import { debitSchema, gatewayError, orderSchema, readBody } from './gateway-wire.ts';

interface GatewayContext {
  readonly books: GatewayBooks;
  readonly till: GatewayTill;
}

const notFound = (what: string): Answer => ({
  status: 404,
  body: gatewayError('NOT_FOUND', `There is no such ${what}`),
});

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** The fault `wrong_amount`: answered one rupee too high. */
const hundredMore = (body: unknown): unknown =>
  isRecord(body) && typeof body['amount_paise'] === 'number'
    ? { ...body, amount_paise: body['amount_paise'] + 100 }
    : body;

const hundredMoreEach: NonNullable<Operation['misstate']> = (body) =>
  Array.isArray(body['items']) ? { ...body, items: body['items'].map(hundredMore) } : body;

const debitView = ({ mandate_token: _secret, ...debit }: GatewayDebit) => debit;

/** The neutral gateway's protocol: orders, their payments, refunds, and debits under a mandate. */
export const gatewayOperations = ({ books, till }: GatewayContext): readonly Operation[] => {
  const orderView = (order: GatewayOrder) => ({
    ...order,
    status: books.isPaid(order.id) ? 'paid' : 'created',
  });

  const createOrder = ({ body }: Call): Answer => {
    const read = readBody(orderSchema, body);
    if ('refused' in read) return read.refused;
    const { expires_at = null, ...given } = read.value;
    const known = books.orderByReceipt(given.receipt);
    return okAnswer(orderView(known ?? books.addOrder({ ...given, expires_at })));
  };

  const getOrder = ({ params }: Call): Answer => {
    const order = books.order(params['orderId']);
    return order === undefined ? notFound('order') : okAnswer(orderView(order));
  };

  const findOrders = ({ query }: Call): Answer => {
    const order = books.orderByReceipt(query.get('receipt') ?? '');
    return okAnswer({ items: order === undefined ? [] : [orderView(order)] });
  };

  const listPayments = ({ params }: Call): Answer => {
    const order = books.order(params['orderId']);
    if (order === undefined) return notFound('order');
    return okAnswer({ items: books.paymentsOf(order.id) });
  };

  const listRefunds = ({ params }: Call): Answer => {
    const payment = books.payment(params['paymentId']);
    if (payment === undefined) return notFound('payment');
    return okAnswer({ items: books.refundsOf(payment.id) });
  };

  const debit = ({ body }: Call): Answer => {
    const read = readBody(debitSchema, body);
    if ('refused' in read) return read.refused;
    const { order_id, amount_paise, mandate_token } = read.value;
    const order = books.order(order_id);
    if (order === undefined) return notFound('order');
    const reference = read.value.reference ?? order_id;
    const known = books.debitByReference(reference);
    if (known !== undefined) return okAnswer(debitView(known));
    const currency = read.value.currency ?? order.currency;
    const given = { order_id, reference, mandate_token, amount_paise, currency };
    const made = books.addDebit({ ...given, status: 'pending' });
    till.settleLater(made);
    return okAnswer(debitView(made));
  };

  const misstate = hundredMore;
  const orders = '/v1/orders';
  return [
    {
      name: 'create-order',
      method: 'POST',
      path: orders,
      handle: createOrder,
      idempotencyKey: ({ body }) => textOf(fieldsOf(body)['receipt']),
      misstate,
    },
    {
      name: 'get-order',
      method: 'GET',
      path: orders,
      handle: findOrders,
      misstate: hundredMoreEach,
    },
    { name: 'get-order', method: 'GET', path: `${orders}/:orderId`, handle: getOrder, misstate },
    {
      name: 'list-payments',
      method: 'GET',
      path: `${orders}/:orderId/payments`,
      handle: listPayments,
      misstate: hundredMoreEach,
    },
    {
      name: 'get-refund',
      method: 'GET',
      path: '/v1/payments/:paymentId/refunds',
      handle: listRefunds,
      misstate: hundredMoreEach,
    },
    {
      name: 'debit',
      method: 'POST',
      path: '/v1/debits',
      handle: debit,
      idempotencyKey: ({ body }) =>
        textOf(fieldsOf(body)['reference']) ?? textOf(fieldsOf(body)['order_id']),
      misstate,
    },
  ];
};
