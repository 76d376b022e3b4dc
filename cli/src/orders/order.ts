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

/** A gold order as `GET /orders/:id` of the admin API returns it. Null is not known yet. */
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

/** Returns a pair, or none for a value that is not known. */
const known = <T>(name: string, value: T | null, show: (value: T) => string): readonly Pair[] =>
  value === null ? [] : [[name, show(value)]];

const asIs = (text: string): string => text;

const headOf = (order: Order): readonly Pair[] => [
  ['order', order.id],
  ['type', order.type],
  ['status', order.status],
  ['customer', order.user_id],
  ...known('review', order.manual_review_code, asIs),
  ...known('', order.manual_review_reason, asIs),
  ...known('refund', order.refund_reference, asIs),
  ...known('quote', order.quote_id, asIs),
  ...known('provider tx', order.sg_tx_id, asIs),
  ['created', order.created_at],
  ...known('price lock until', order.expires_at, asIs),
  ['updated', order.updated_at],
];

/** Rupees as a decimal text in the groups that the other figures have. */
export const rupees = (text: string): string => {
  const [whole = '0', fraction = ''] = text.split('.');
  return formatPaise(Number(`${whole}${fraction.padEnd(2, '0')}`));
};

const moneyOf = (order: Order): readonly Pair[] => [
  ['amount', rupees(order.amount_inr)],
  ...known('grams', order.grams, (grams) => `${grams} g`),
  ...known('price per gram', order.price_per_gram_paise, formatPaise),
  ...known('gold value', order.gold_value_paise, formatPaise),
  ...known('GST', order.gst_paise, formatPaise),
  ...known('rounding', order.rounding_paise, formatPaise),
  ...known('proceeds', order.proceeds_paise, formatPaise),
  ...known('at the provider', order.provider_amount_paise, formatPaise),
  ...known('price difference', order.price_difference_paise, formatPaise),
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
    ...known('held', payout.hold, asIs),
    ['amount', formatPaise(payout.amountPaise)],
    ['to', `account ending in ${payout.accountLast4}, by ${payout.mode}`],
    ['attempt', String(payout.attempt)],
    ...known('bank reference', payout.utr, asIs),
    ...known('failure', payout.failureReason, asIs),
    ['created', payout.createdAt],
    ...known('paid', payout.paidAt, asIs),
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

/** Renders an order for people: amounts, payments, payout, and its history, oldest first. */
export const renderOrder = (order: Order): string =>
  [
    renderPairs(headOf(order)),
    renderPairs(moneyOf(order)),
    ...(order.payments.length === 0 ? [] : [paymentsOf(order.payments)]),
    ...(order.payout === null ? [] : [payoutOf(order.payout)]),
    eventsOf(order.events),
  ].join('\n\n');
