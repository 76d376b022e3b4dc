import { describe, expect, it } from 'vitest';
import {
  buyQuoteRow,
  confirmRow,
  gatewayPaymentRow,
  installmentRow,
  movementRow,
  paymentOrderRow,
  payoutRow,
  productOrderLineRow,
  productOrderRow,
  reservationRow,
  reversalRow,
  sellOrderRow,
  sellQuoteRow,
  sipPlanRow,
  userRow,
  webhookRow,
  type Row,
} from './rows.ts';
import { useLegalRows } from './use-legal-rows.ts';
import type { LegalRows } from './legal-rows.ts';

const at = '2026-11-21T09:00:00.000Z';
const current = useLegalRows();

type MakeRow = (w: LegalRows) => Row;

const buyQuote: MakeRow = (w) => buyQuoteRow(w.userId);
const sellQuote: MakeRow = (w) => sellQuoteRow(w.userId);
const installment: MakeRow = (w) => installmentRow(w.userId, w.planId);
const plan: MakeRow = (w) => sipPlanRow(w.userId);
const movement: MakeRow = (w) => movementRow(w.userId, w.buyOrderId);
const payment: MakeRow = (w) => paymentOrderRow(w.userId, w.buyOrderId);
const payout: MakeRow = (w) => payoutRow(w.userId, w.sellOrderId, w.bankAccountId);
const confirm: MakeRow = (w) => confirmRow(w.buyOrderId);
const reservation: MakeRow = (w) => reservationRow(w.userId, w.buyOrderId);
const reversal: MakeRow = () => reversalRow();
const user: MakeRow = () => userRow();
const webhook: MakeRow = () => webhookRow();
const productOrder: MakeRow = (w) => productOrderRow(w.userId);
const productLine: MakeRow = (w) => productOrderLineRow(w.productOrderId, w.productId);
const captured: MakeRow = () => ({ ...gatewayPaymentRow(null), standing: 'UNMATCHED' });

const deleted = { deleted_at: at, phone: null, phone_hash: null };

/** Table, legal row, what makes it illegal, and the constraint that must say so. */
const illegal: readonly [string, MakeRow, Row, string][] = [
  ['app_user', user, { phone: '+911234567890' }, 'app_user_phone_check'],
  ['app_user', user, { phone: null }, 'app_user_deleted_check'],
  ['app_user', user, { ...deleted, email: 'a@b.in' }, 'app_user_deleted_check'],
  ['app_user', user, { blocked: true }, 'app_user_blocked_check'],
  ['gold_quote', buyQuote, { kind: 'GIFT' }, 'gold_quote_kind_check'],
  ['gold_quote', buyQuote, { status: 'LOST' }, 'gold_quote_status_check'],
  ['gold_quote', buyQuote, { grams: '0' }, 'gold_quote_amounts_check'],
  ['gold_quote', buyQuote, { gst_paise: 2914 }, 'gold_quote_buy_check'],
  ['gold_quote', buyQuote, { provider_tx_id: null }, 'gold_quote_buy_check'],
  ['gold_quote', sellQuote, { proceeds_paise: null }, 'gold_quote_sell_check'],
  ['gold_quote', sellQuote, { status: 'CONSUMED' }, 'gold_quote_consumed_check'],
  ['gold_order', installment, { status: 'CONFIRMED' }, 'gold_order_status_check'],
  ['gold_order', installment, { amount_paise: 0 }, 'gold_order_amounts_check'],
  ['gold_order', installment, { due_at: null }, 'gold_order_installment_check'],
  ['gold_order', installment, { installment_no: 0 }, 'gold_order_installment_no_check'],
  ['gold_order', installment, { status: 'ALLOCATED' }, 'gold_order_allocated_check'],
  ['gold_order', installment, { status: 'MANUAL_REVIEW' }, 'gold_order_review_check'],
  ['gold_order', installment, { manual_review_code: 'MOOD' }, 'gold_order_review_'],
  ['sip_plan', plan, { amount_paise: 999 }, 'sip_plan_amount_check'],
  ['sip_plan', plan, { frequency: 'YEARLY' }, 'sip_plan_frequency_check'],
  ['sip_plan', plan, { duration_installments: 241 }, 'sip_plan_duration_check'],
  ['sip_plan', plan, { installments_raised: 13 }, 'sip_plan_raised_check'],
  ['sip_plan', plan, { status: 'CANCELLED' }, 'sip_plan_cancelled_check'],
  ['sip_plan', plan, { status: 'PAUSED' }, 'sip_plan_paused_check'],
  ['sip_plan', plan, { passed_over: -1 }, 'sip_plan_passed_over_check'],
  ['sip_plan', plan, { mandate_max_paise: 100_000 }, 'sip_plan_mandate_bounds_check'],
  ['holding_movement', movement, { kind: 'GIFT' }, 'holding_movement_kind_check'],
  ['holding_movement', movement, { grams: '-0.1' }, 'holding_movement_kind_check'],
  ['holding_movement', movement, { kind: 'DEBIT' }, 'holding_movement_kind_check'],
  ['holding_movement', movement, { order_id: null }, 'holding_movement_order_check'],
  ['holding_movement', movement, { balance_after: '-1' }, 'holding_movement_after_check'],
  ['holding_movement', movement, { kind: 'RECOVERED' }, 'holding_movement_kind_check'],
  ['holding_reservation', reservation, { grams: '0.1619' }, 'holding_reservation_grams_check'],
  ['holding_reservation', reservation, { grams: '-0.1' }, 'holding_reservation_grams_check'],
  ['payment_reversal', reversal, { kind: 'RUMOUR' }, 'payment_reversal_kind_check'],
  ['payment_reversal', reversal, { amount_paise: 0 }, 'payment_reversal_amount_check'],
  ['gold_order', installment, { recovered_at: at }, 'gold_order_recovered_check'],
  ['payment_order', payment, { amount_paise: 0 }, 'payment_order_amount_check'],
  ['payment_order', payment, { currency: 'USD' }, 'payment_order_currency_check'],
  ['payment_order', payment, { status: 'LOST' }, 'payment_order_status_check'],
  ['payment_order', payment, { gateway_order_id: null }, 'payment_order_gateway_order_check'],
  ['payment_order', payment, { status: 'PAID' }, 'payment_order_paid_check'],
  ['payment_order', payment, { terms_accepted_at: at }, 'payment_order_terms_check'],
  ['gateway_payment', captured, { amount_paise: -1 }, 'gateway_payment_amount_check'],
  ['gateway_payment', captured, { standing: 'LOST' }, 'gateway_payment_standing_check'],
  ['gateway_payment', captured, { failure_resolved_at: at }, 'gateway_payment_failure_check'],
  ['webhook_event', webhook, { source: 'rumour' }, 'webhook_event_source_check'],
  ['webhook_event', webhook, { status: 'APPLIED' }, 'webhook_event_applied_check'],
  ['payout', payout, { amount_paise: 0 }, 'payout_amount_check'],
  ['payout', payout, { status: 'PAID' }, 'payout_paid_check'],
  ['product_order', productOrder, { status: 'LOST' }, 'product_order_status_check'],
  ['product_order', productOrder, { total_paise: 112_901 }, 'product_order_total_check'],
  ['product_order', productOrder, { idempotency_key: 'a-key' }, 'product_order_key_check'],
  ['product_order', productOrder, { payload_hash: 'a-hash' }, 'product_order_key_check'],
  [
    'product_order',
    productOrder,
    { gst_paise: 3_011, total_paise: 112_911 },
    'product_order_gst_check',
  ],
  ['product_order_line', productLine, { quantity: 11 }, 'product_order_line_quantity_check'],
  ['product_order_line', productLine, { line_no: 21 }, 'product_order_line_number_check'],
  ['product_order_line', productLine, { gst_paise: 3_001 }, 'product_order_line_total_check'],
  ['provider_operation', confirm, { verified_at: null }, 'provider_operation_confirm_check'],
  ['provider_operation', confirm, { status: 'DONE' }, 'provider_operation_settled_check'],
];

describe('the database refuses', () => {
  const cases = illegal.map(([table, makeRow, change, constraint]) => ({
    title: `${table} with ${JSON.stringify(change)}`,
    table,
    makeRow,
    change,
    constraint,
  }));

  it.each(cases)('$title', async ({ table, makeRow, change, constraint }) => {
    const { client, legal, refusalOfRow } = current();
    expect(await refusalOfRow(table, makeRow(legal))).toBeUndefined();
    await client.query('ROLLBACK TO SAVEPOINT attempt');
    const changed = { ...makeRow(legal), ...change };
    expect(await refusalOfRow(table, changed)).toContain(constraint);
  });

  it('a sale without a bank account', async () => {
    const { legal, refusalOfRow } = current();
    const order = sellOrderRow(legal.userId, legal.sellQuoteId, null);
    expect(await refusalOfRow('gold_order', order)).toBe('gold_order_sell_check');
  });

  it('a sale that goes where only a buy may', async () => {
    const { client, legal, refusalOf } = current();
    const review = `UPDATE gold_order SET status = 'MANUAL_REVIEW', manual_review_code =
      'SELL_UNKNOWN_OUTCOME', manual_review_reason = 'x' WHERE id = $1`;
    const transition = () => client.query(review, [legal.sellOrderId]);
    expect(await refusalOf(transition)).toBe('gold_order_status_check');
  });

  it.each([
    ['balance = -1', /balance_check|reserved_check/u],
    ['reserved = 0.00000001', /reserved_check/u],
    ['reserved = -1', /reserved_check/u],
    ['invested_paise = -1', /invested_check/u],
  ])('a holding with %s', async (change, constraint) => {
    const { client, legal, refusalOf } = current();
    const sql = `UPDATE holding SET ${change} WHERE user_id = $1`;
    expect(await refusalOf(() => client.query(sql, [legal.userId]))).toMatch(constraint);
  });
});
