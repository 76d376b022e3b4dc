import { describe, expect, it } from 'vitest';
import {
  bankAccountRow,
  buyOrderRow,
  buyQuoteRow,
  confirmRow,
  gatewayPaymentRow,
  insert,
  installmentRow,
  movementRow,
  newId,
  paymentOrderRow,
  payoutAttemptRow,
  payoutRow,
  webhookRow,
  type Row,
} from './rows.ts';
import { useLegalRows } from './use-legal-rows.ts';

const at = '2026-11-21T09:00:00.000Z';
const current = useLegalRows();

const sessionRow = (userId: string, change: Row = {}): Row => ({
  id: newId(),
  user_id: userId,
  device_id: 'phone',
  family_id: newId(),
  refresh_token_hash: newId(),
  created_at: at,
  last_used_at: at,
  expires_at: at,
  ...change,
});

const primaryRow = (userId: string, change: Row = {}): Row => ({
  ...bankAccountRow(userId),
  is_primary: true,
  ...change,
});

describe('there is only one', () => {
  it('order of a quote', async () => {
    const { legal, refusalOfRow } = current();
    const order = buyOrderRow(legal.userId, legal.buyQuoteId);
    expect(await refusalOfRow('gold_order', order)).toBe('gold_order_quote_id_key');
  });

  it('order of a provider transaction', async () => {
    const { client, legal, refusalOfRow } = current();
    const quote = buyQuoteRow(legal.userId);
    await insert(client, 'gold_quote', quote);
    const sql = 'SELECT provider_tx_id AS id FROM gold_order WHERE id = $1';
    const { rows } = await client.query<{ id: string }>(sql, [legal.buyOrderId]);
    const order = { ...buyOrderRow(legal.userId, quote['id']), provider_tx_id: rows[0]?.id };
    const constraint = 'gold_order_provider_provider_tx_id_key';
    expect(await refusalOfRow('gold_order', order)).toBe(constraint);
  });

  it('installment of a number', async () => {
    const { legal, refusalOfSecond } = current();
    const row = () => installmentRow(legal.userId, legal.planId);
    const constraint = 'gold_order_sip_plan_id_installment_no_key';
    expect(await refusalOfSecond('gold_order', row(), row())).toBe(constraint);
  });

  it('credit of an order', async () => {
    const { legal, refusalOfSecond } = current();
    const row = () => movementRow(legal.userId, legal.buyOrderId);
    const second = { ...row(), version: 2 };
    const constraint = 'holding_movement_order_id_kind_key';
    expect(await refusalOfSecond('holding_movement', row(), second)).toBe(constraint);
  });

  it('open payment order of an order, beside closed ones', async () => {
    const { client, legal, refusalOfSecond } = current();
    const row = () => paymentOrderRow(legal.userId, legal.buyOrderId);
    await insert(client, 'payment_order', { ...row(), status: 'EXPIRED' });
    expect(await refusalOfSecond('payment_order', row(), row())).toBe('payment_order_open_key');
  });

  it('payment that bought the gold of an order', async () => {
    const { client, legal, refusalOfSecond } = current();
    const order = paymentOrderRow(legal.userId, legal.buyOrderId);
    await insert(client, 'payment_order', order);
    const row = () => gatewayPaymentRow(order['id']);
    await insert(client, 'gateway_payment', { ...row(), standing: 'SECOND' });
    const constraint = 'gateway_payment_applied_key';
    expect(await refusalOfSecond('gateway_payment', row(), row())).toBe(constraint);
  });

  it('event of an id, of a body, and of a payout and its status', async () => {
    const { client, refusalOfRow } = current();
    const first: Row = { ...webhookRow(), dedupe_key: 'pout_1:processed' };
    await insert(client, 'webhook_event', first);
    const again = (change: Row) => refusalOfRow('webhook_event', { ...webhookRow(), ...change });
    expect(await again({ event_id: first['event_id'] })).toMatch(/event_id_key$/u);
    expect(await again({ body_hash: first['body_hash'] })).toMatch(/body_hash_key$/u);
    expect(await again({ dedupe_key: 'pout_1:processed' })).toMatch(/dedupe_key_key$/u);
    expect(await again({ event_id: null })).toBeUndefined();
    expect(await again({ event_id: null })).toBeUndefined();
  });

  it('undecided confirm of an order, and one that was done', async () => {
    const { legal, refusalOfSecond } = current();
    const row = () => confirmRow(legal.buyOrderId);
    const undecided = 'provider_operation_undecided_confirm_key';
    expect(await refusalOfSecond('provider_operation', row(), row())).toBe(undecided);
    const done = () => ({ ...row(), status: 'DONE', settled_at: at });
    const twice = 'provider_operation_done_confirm_key';
    expect(await refusalOfSecond('provider_operation', done(), done())).toBe(twice);
  });

  it('payout of a sale', async () => {
    const { legal, refusalOfSecond } = current();
    const row = () => payoutRow(legal.userId, legal.sellOrderId, legal.bankAccountId);
    expect(await refusalOfSecond('payout', row(), row())).toBe('payout_order_id_key');
  });

  it('live attempt of a payout, with the key that its number gives', async () => {
    const { client, legal, refusalOfRow, refusalOfSecond } = current();
    const payout = payoutRow(legal.userId, legal.sellOrderId, legal.bankAccountId);
    const payoutId = String(payout['id']);
    await insert(client, 'payout', payout);
    const attempt = (number: number) => payoutAttemptRow(payoutId, legal.bankAccountId, number);
    const constraint = 'payout_attempt_live_key';
    expect(await refusalOfSecond('payout_attempt', attempt(1), attempt(2))).toBe(constraint);
    await client.query(`UPDATE payout_attempt SET status = 'FAILED'`);
    const foreign = { ...attempt(2), idempotency_key: `${payoutId}-2` };
    expect(await refusalOfRow('payout_attempt', foreign)).toBe('payout_attempt_key_check');
    expect(await refusalOfRow('payout_attempt', attempt(2))).toBeUndefined();
  });

  it('primary account and one of a number, among those not deleted', async () => {
    const { client, legal, refusalOfRow, refusalOfSecond } = current();
    const row = (change: Row = {}) => primaryRow(legal.userId, change);
    await insert(client, 'bank_account', row({ deleted_at: at, number_hash: 'h' }));
    const primary = await refusalOfSecond('bank_account', row({ number_hash: 'h' }), row());
    expect(primary).toBe('bank_account_primary_key');
    const other = row({ is_primary: false, number_hash: 'h' });
    expect(await refusalOfRow('bank_account', other)).toBe('bank_account_number_key');
  });

  it('live session of a device', async () => {
    const { client, legal, refusalOfSecond } = current();
    await insert(client, 'session', sessionRow(legal.userId, { revoked_at: at }));
    const row = () => sessionRow(legal.userId);
    expect(await refusalOfSecond('session', row(), row())).toBe('session_live_device_key');
  });
});
