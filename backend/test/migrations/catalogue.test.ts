import { expect, it } from 'vitest';
import { useLegalRows } from './use-legal-rows.ts';

const current = useLegalRows();

it('keeps what others refer to', async () => {
  const { rows } = await current().client.query<{ name: string }>(
    `SELECT conname AS name FROM pg_constraint
     WHERE contype = 'f' AND connamespace = 'public'::regnamespace
       AND (confdeltype <> 'r' OR confupdtype <> 'r')`,
  );
  expect(rows).toEqual([]);
});

it('finds by an index what refers to a row that may be asked for', async () => {
  // Operators are few and never deleted: nobody asks what refers to one of them.
  const { rows } = await current().client.query<{ name: string }>(
    `SELECT conname AS name FROM pg_constraint
     WHERE contype = 'f' AND connamespace = 'public'::regnamespace
       AND confrelid NOT IN ('admin_user'::regclass, 'portal_user'::regclass)
       AND NOT EXISTS (
         SELECT FROM pg_index WHERE indrelid = conrelid AND indkey[0] = conkey[1])`,
  );
  expect(rows.map((row) => row.name)).toEqual([]);
});

it('has an index for every sweep', async () => {
  const { rows } = await current().client.query<{ name: string }>(
    `SELECT indexname AS name FROM pg_indexes
     WHERE schemaname = 'public' AND indexdef LIKE '% WHERE %' ORDER BY 1`,
  );
  expect(rows.map((row) => row.name)).toEqual(
    expect.arrayContaining([
      'gold_order_due_allocation_idx',
      'gold_order_open_review_idx',
      'gold_order_open_sell_idx',
      'gold_order_unpaid_expiry_idx',
      'gold_quote_active_expiry_idx',
      'gold_quote_active_sell_idx',
      'gold_quote_purge_idx',
      'kyc_record_unsealed_idx',
      'notification_unread_idx',
      'payment_order_debit_due_idx',
      'payment_order_unpaid_expiry_idx',
      'payout_attempt_undecided_idx',
      'payout_open_idx',
      'provider_operation_undecided_idx',
      'sip_plan_due_idx',
      'sip_plan_fully_raised_idx',
      'sip_plan_unannounced_idx',
      'webhook_event_backlog_idx',
      'webhook_event_purge_idx',
    ]),
  );
});

it('starts with the rows that always exist', async () => {
  const { rows } = await current().client.query<{ gst: string; daily: string; spread: number }>(
    `SELECT s.value AS gst, l.daily_buy_paise AS daily, p.buy_spread_bps AS spread
     FROM statutory_parameter s, limits_setting l, price_config p, gateway_routing
     WHERE s.key = 'gst_rate_bps'`,
  );
  expect(rows).toEqual([{ gst: '300', daily: '50000000', spread: 0 }]);
});
