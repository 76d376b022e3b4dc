import { z } from 'zod';
import { formatPaise } from '../io/money.ts';
import { renderPairs, renderTable } from '../io/output.ts';

const paise = z.int();

const payment = z.looseObject({
  id: z.string(),
  gateway: z.string(),
  gateway_order_id: z.string().nullable(),
  amount_paise: paise,
  currency: z.string(),
  status: z.string(),
  method: z.string().nullable(),
  created_at: z.string(),
  paid_at: z.string().nullable(),
});

const payout = z.looseObject({
  id: z.string(),
  accountLast4: z.string(),
  amountPaise: paise,
  status: z.string(),
  mode: z.string(),
  utr: z.string().nullable(),
  attempt: z.int(),
  failureReason: z.string().nullable(),
  hold: z.string().nullable(),
  createdAt: z.string(),
  paidAt: z.string().nullable(),
});

const event = z.looseObject({
  from: z.string().nullable(),
  to: z.string(),
  cause: z.string(),
  actor: z.string(),
  requestId: z.string().nullable(),
  at: z.string(),
});

/** A gold order of `GET /orders/:id` of the admin API. A value that is not yet known is null. */
export const orderAnswer = z.looseObject({
  id: z.string(),
  user_id: z.string(),
  type: z.string(),
  status: z.string(),
  amount_inr: z.string(),
  grams: z.string().nullable(),
  price_per_gram_paise: paise.nullable(),
  gold_value_paise: paise.nullable(),
  gst_paise: paise.nullable(),
  rounding_paise: paise.nullable(),
  proceeds_paise: paise.nullable(),
  provider_amount_paise: paise.nullable(),
  price_difference_paise: paise.nullable(),
  quote_id: z.string().nullable(),
  sg_tx_id: z.string().nullable(),
  expires_at: z.string().nullable(),
  manual_review_code: z.string().nullable(),
  manual_review_reason: z.string().nullable(),
  refund_reference: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  payments: z.array(payment),
  payout: payout.nullable(),
  events: z.array(event),
});

type Order = z.infer<typeof orderAnswer>;
type OrderPayment = z.infer<typeof payment>;
type OrderPayout = z.infer<typeof payout>;
type OrderEvent = z.infer<typeof event>;

type Pair = readonly [name: string, value: string];

/** Returns a pair, or none if the value is null. */
const pairIfKnown = <T>(
  name: string,
  value: T | null,
  show: (value: T) => string,
): readonly Pair[] => (value === null ? [] : [[name, show(value)]]);

const unchanged = (text: string): string => text;

const headOf = (order: Order): readonly Pair[] => [
  ['order', order.id],
  ['type', order.type],
  ['status', order.status],
  ['customer', order.user_id],
  ...pairIfKnown('review', order.manual_review_code, unchanged),
  ...pairIfKnown('', order.manual_review_reason, unchanged),
  ...pairIfKnown('refund', order.refund_reference, unchanged),
  ...pairIfKnown('quote', order.quote_id, unchanged),
  ...pairIfKnown('provider tx', order.sg_tx_id, unchanged),
  ['created', order.created_at],
  ...pairIfKnown('price lock until', order.expires_at, unchanged),
  ['updated', order.updated_at],
];

/** Formats rupees of a decimal text, as the other amounts are formatted. */
export const rupees = (text: string): string => {
  const [whole = '0', fraction = ''] = text.split('.');
  return formatPaise(Number(`${whole}${fraction.padEnd(2, '0')}`));
};

const moneyOf = (order: Order): readonly Pair[] => [
  ['amount', rupees(order.amount_inr)],
  ...pairIfKnown('grams', order.grams, (grams) => `${grams} g`),
  ...pairIfKnown('price per gram', order.price_per_gram_paise, formatPaise),
  ...pairIfKnown('gold value', order.gold_value_paise, formatPaise),
  ...pairIfKnown('GST', order.gst_paise, formatPaise),
  ...pairIfKnown('rounding', order.rounding_paise, formatPaise),
  ...pairIfKnown('proceeds', order.proceeds_paise, formatPaise),
  ...pairIfKnown('at the provider', order.provider_amount_paise, formatPaise),
  ...pairIfKnown('price difference', order.price_difference_paise, formatPaise),
];

const amountOf = ({ amount_paise: paise, currency }: OrderPayment): string =>
  currency === 'INR' ? formatPaise(paise) : `${paise} minor units of ${currency}`;

const paymentsOf = (payments: readonly OrderPayment[]): string =>
  renderTable(
    ['payment', 'status', 'amount', 'gateway', 'gateway order', 'method', 'created', 'paid'],
    payments.map((payment) => [
      payment.id,
      payment.status,
      amountOf(payment),
      payment.gateway,
      payment.gateway_order_id ?? '-',
      payment.method ?? '-',
      payment.created_at,
      payment.paid_at ?? '-',
    ]),
  );

const payoutOf = (payout: OrderPayout): string =>
  renderPairs([
    ['payout', payout.id],
    ['status', payout.status],
    ...pairIfKnown('held', payout.hold, unchanged),
    ['amount', formatPaise(payout.amountPaise)],
    ['to', `account ending in ${payout.accountLast4}, by ${payout.mode}`],
    ['attempt', String(payout.attempt)],
    ...pairIfKnown('bank reference', payout.utr, unchanged),
    ...pairIfKnown('failure', payout.failureReason, unchanged),
    ['created', payout.createdAt],
    ...pairIfKnown('paid', payout.paidAt, unchanged),
  ]);

const eventsOf = (events: readonly OrderEvent[]): string =>
  renderTable(
    ['at', 'from', 'to', 'cause', 'actor', 'request'],
    events.map((event) => [
      event.at,
      event.from ?? '-',
      event.to,
      event.cause,
      event.actor,
      event.requestId ?? '-',
    ]),
  );

/** Renders an order for people, with its amounts, payments, payout and history. */
export const renderOrder = (order: Order): string =>
  [
    renderPairs(headOf(order)),
    renderPairs(moneyOf(order)),
    ...(order.payments.length === 0 ? [] : [paymentsOf(order.payments)]),
    ...(order.payout === null ? [] : [payoutOf(order.payout)]),
    eventsOf(order.events),
  ].join('\n\n');
