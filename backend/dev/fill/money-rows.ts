import { isBought, isSold } from './order-rows.ts';
import type { SqlTerms } from './series.ts';

/**
 * SQL condition that is true if the gateway captured the payment, even if it was refunded later.
 */
const isCaptured = `(${isBought} OR o.class = 'refunded')`;
const isDeclined = `o.class IN ('declined', 'second_try')`;
/** Seconds after the order. */
const capturedAfter = `CASE o.class WHEN 'refunded' THEN 900 ELSE 60 END`;
const later = (count: string): string => `o.at + (${count}) * interval '1 second'`;

/** Returns the statements that write payment orders, payments, their webhooks and keys. */
const paymentStatements = (terms: SqlTerms): readonly string[] => {
  const { id, name } = terms;
  const gatewayOrder = name('sbx_order_', 'n');
  const captured = name('sbx_pay_', 'n');
  const failed = name('sbx_pay_x', 'n');
  const event = (kind: 'paymentEvent' | 'failedEvent', type: string, payment: string): string =>
    `SELECT ${id(kind, 'n')}, 'payment', 'sandbox', 'evt_' || ${payment}, 'body_' || ${payment},
       '${type}', ${gatewayOrder}, ${payment}, 'APPLIED'`;
  const eventColumns = `id, source, gateway, event_id, body_hash, event_type, subject,
    gateway_payment_id, status, received_at, applied_at`;
  const paymentColumns = `id, gateway, gateway_payment_id, gateway_order_id, payment_order_id,
    status, standing, amount_paise, currency, method, refund_reference, refunded_at, learned_at,
    gateway_at, next_reversal_poll_at, updated_at`;
  return [
    // This is a single statement, since each of the two rows refers to the other. The payments are
    // never queried for reversals, because the gateway does not know them.
    `WITH asked AS (INSERT INTO payment_order (id, user_id, order_id, quote_id, gateway, gateway_order_id,
       amount_paise, status, method, captured_payment_id, paid_at, expires_at, created_at,
       updated_at)
     SELECT ${id('paymentOrder', 'n')}, user_id, id,
       CASE WHEN NOT is_installment THEN ${id('quote', 'n')} END, 'sandbox', ${gatewayOrder},
       amount, CASE o.class WHEN 'expired' THEN 'EXPIRED' WHEN 'missed' THEN 'EXPIRED'
         WHEN 'declined' THEN 'FAILED' WHEN 'refunded' THEN 'REFUNDED' ELSE 'PAID' END, 'upi',
       CASE WHEN ${isCaptured} THEN ${id('gatewayPayment', 'n')} END,
       CASE WHEN ${isCaptured} THEN ${later(capturedAfter)} END,
       CASE WHEN is_installment THEN at + interval '72 hours' ELSE at + interval '8 minutes' END,
       at, ${later('60')}
     FROM fill_order o WHERE NOT is_sale ORDER BY n)
     INSERT INTO gateway_payment (${paymentColumns})
     SELECT ${id('gatewayPayment', 'n')}, 'sandbox', ${captured}, ${gatewayOrder},
       ${id('paymentOrder', 'n')}, CASE o.class WHEN 'refunded' THEN 'REFUNDED' ELSE 'CAPTURED' END,
       CASE o.class WHEN 'refunded' THEN 'REFUNDED' ELSE 'APPLIED' END, amount, 'INR', 'upi',
       CASE WHEN o.class = 'refunded' THEN ${name('rfnd_', 'n')} END,
       CASE WHEN o.class = 'refunded' THEN ${later('7200')} END,
       ${later(capturedAfter)}, ${later(`${capturedAfter} - 1`)}, NULL,
       ${later(capturedAfter)}
     FROM fill_order o WHERE ${isCaptured} ORDER BY n`,
    `INSERT INTO gateway_attempt (id, payment_order_id, gateway, status, gateway_order_id, detail,
       started_at, ended_at)
     SELECT ${id('gatewayAttempt', 'n')}, ${id('paymentOrder', 'n')}, 'sandbox', 'DONE',
       ${gatewayOrder}, 'done', at, at
     FROM fill_order o WHERE NOT is_sale ORDER BY n`,
    `INSERT INTO gateway_payment (${paymentColumns})
     SELECT ${id('failedPayment', 'n')}, 'sandbox', ${failed}, ${gatewayOrder},
       ${id('paymentOrder', 'n')}, 'FAILED', 'NONE', amount, 'INR', 'upi', NULL, NULL,
       ${later('30')}, ${later('29')}, NULL, ${later('30')}
     FROM fill_order o WHERE ${isDeclined} ORDER BY n`,
    `INSERT INTO webhook_event (${eventColumns})
     ${event('failedEvent', 'payment.failed', failed)}, ${later('30')}, ${later('30')}
     FROM fill_order o WHERE ${isDeclined} ORDER BY n`,
    `INSERT INTO webhook_event (${eventColumns})
     ${event('paymentEvent', 'payment.captured', captured)}, ${later(capturedAfter)},
       ${later(capturedAfter)}
     FROM fill_order o WHERE ${isCaptured} ORDER BY n`,
    `INSERT INTO idempotency_key (owner_id, operation, key, payload_hash, status, holder_id,
       lease_until, resource_id, created_at)
     SELECT user_id, CASE WHEN is_sale THEN 'gold.sell' ELSE 'gold.buy' END, ${name('key-', 'n')},
       'filled', 'DONE', user_id, at + interval '30 seconds',
       CASE WHEN is_sale THEN id ELSE ${id('paymentOrder', 'n')} END, at
     FROM fill_order o WHERE NOT is_installment ORDER BY n`,
  ];
};

/** Returns the statements that write payouts, their attempts and webhooks. */
const payoutStatements = (terms: SqlTerms): readonly string[] => {
  const { id, name } = terms;
  const payout = id('payout', 'n');
  const [first, second] = [name('pout_', 'n'), name('pout_r', 'n')];
  const newest = `CASE o.class WHEN 'sold_retried' THEN ${second} ELSE ${first} END`;
  const paidAfter = `CASE o.class WHEN 'sold_retried' THEN 90000 ELSE 600 END`;
  const isPaid = `o.class IN ('sold', 'sold_retried')`;
  const attempt = (kind: 'payoutAttempt' | 'payoutRetry', no: number, given: string): string =>
    `INSERT INTO payout_attempt (id, payout_id, attempt_no, bank_account_id, idempotency_key,
       provider, provider_payout_id, status, failure_reason, started_at, last_asked_at, settled_at)
     SELECT ${id(kind, 'n')}, ${payout}, ${no}, ${id('bank', 'u')},
       replace(${payout}::text, '-', '') || '-${no}', 'razorpayx', ${given}`;
  return [
    `INSERT INTO payout (id, user_id, order_id, bank_account_id, amount_paise, status, attempt,
       provider, provider_payout_id, utr, failure_reason, approval_required, hold, dispatched_at,
       paid_at, created_at, updated_at)
     SELECT ${payout}, user_id, id, ${id('bank', 'u')}, proceeds,
       CASE o.class WHEN 'sold_unpaid' THEN 'FAILED' WHEN 'sold_waiting' THEN 'PENDING' ELSE 'PAID' END,
       CASE o.class WHEN 'sold_waiting' THEN 0 WHEN 'sold_retried' THEN 2 ELSE 1 END,
       CASE WHEN o.class <> 'sold_waiting' THEN 'razorpayx' END,
       CASE WHEN o.class <> 'sold_waiting' THEN ${newest} END,
       CASE WHEN ${isPaid} THEN tx_id::text END,
       CASE WHEN o.class = 'sold_unpaid' THEN 'The bank refused it' END,
       o.class = 'sold_waiting', CASE WHEN o.class = 'sold_waiting' THEN 'NEW_ACCOUNT' END,
       CASE WHEN o.class <> 'sold_waiting' THEN ${later(`${paidAfter} - 597`)} END,
       CASE WHEN ${isPaid} THEN ${later(paidAfter)} END, ${later('2')},
       ${later(`CASE WHEN o.class = 'sold_waiting' THEN 2 ELSE ${paidAfter} END`)}
     FROM fill_order o WHERE ${isSold} ORDER BY n`,
    `${attempt('payoutAttempt', 1, first)},
       CASE WHEN o.class = 'sold' THEN 'PAID' ELSE 'FAILED' END,
       CASE WHEN o.class <> 'sold' THEN 'The bank refused it' END,
       ${later('3')}, ${later('3')}, ${later('600')}
     FROM fill_order o WHERE ${isSold} AND o.class <> 'sold_waiting' ORDER BY n`,
    `${attempt('payoutRetry', 2, second)}, 'PAID', NULL, ${later('89403')}, ${later('89403')},
       ${later('90000')}
     FROM fill_order o WHERE o.class = 'sold_retried' ORDER BY n`,
    `INSERT INTO webhook_event (id, source, gateway, event_id, body_hash, dedupe_key, event_type,
       subject, status, received_at, applied_at)
     SELECT ${id('payoutEvent', 'n')}, 'payout', 'razorpayx', 'evt_' || ${newest},
       'body_' || ${newest}, ${newest} || ':processed', 'payout.processed', ${newest}, 'APPLIED',
       ${later(paidAfter)}, ${later(paidAfter)}
     FROM fill_order o WHERE ${isPaid} ORDER BY n`,
  ];
};

const noticeColumns = `id, user_id, type, title, body, data, dedupe_key, read_at, created_at`;

/** Returns the statements that write the customers' notifications. */
const noticeStatements = ({ id }: SqlTerms): readonly string[] => [
  `INSERT INTO notification (${noticeColumns})
   SELECT ${id('notice', 'n')}, user_id, CASE WHEN is_sale THEN 'sell_confirmed' ELSE 'buy_success' END,
     CASE WHEN is_sale THEN 'Your gold is sold' ELSE 'Gold added to your account' END,
     trim_scale(grams)::text || ' g of gold',
     jsonb_build_object('grams', trim_scale(grams)::text, 'orderId', id, 'amountPaise',
       coalesce(proceeds, amount)),
     CASE WHEN is_sale THEN 'sell_confirmed:' ELSE 'buy_success:' END || id,
     CASE WHEN n % 3 > 0 THEN ${later('3600')} END, ${later('62')}
   FROM fill_order o WHERE ${isBought} OR ${isSold} ORDER BY n`,
  `INSERT INTO notification (${noticeColumns})
   SELECT ${id('payoutNotice', 'n')}, user_id, 'payout_paid', 'Your money was paid out',
     'Money from your gold sale was paid to your bank account.',
     jsonb_build_object('orderId', id, 'payoutId', ${id('payout', 'n')}),
     'payout_paid:' || ${id('payout', 'n')} || ':1', NULL, ${later('600')}
   FROM fill_order o WHERE o.class IN ('sold', 'sold_retried') ORDER BY n`,
];

/** Returns the statements that write the money of the orders. */
export const moneyStatements = (terms: SqlTerms): readonly string[] => [
  ...paymentStatements(terms),
  ...payoutStatements(terms),
  ...noticeStatements(terms),
];
