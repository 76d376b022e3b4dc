import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { atOneMoment, databaseRules, findBrokenRules } from './find-broken-rules.ts';
import { readMoneyPlaces } from './money-places.ts';

let database: FreshDatabase;
let client: Client;

const userId = '01900000-0000-7000-8000-000000000001';
const orderId = '01900000-0000-7000-8000-000000000002';
const id = (n: number): string => `01900000-0000-7000-8000-0000000001${String(n).padStart(2, '0')}`;

beforeAll(async () => {
  database = await freshDatabase();
  client = new Client({ connectionString: database.migrateUrl });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

beforeEach(async () => {
  await client.query('BEGIN');
  // Deferred constraints are checked at once, because these transactions never commit.
  await client.query('SET CONSTRAINTS ALL IMMEDIATE');
  await client.query(
    `INSERT INTO app_user (id, phone, phone_hash, referral_code, created_at, updated_at)
     VALUES ($1, '+919000000001', 'x', 'ABCDEFGH', now(), now())`,
    [userId],
  );
  await client.query(
    `INSERT INTO holding (user_id, created_at, updated_at) VALUES ($1, now(), now())`,
    [userId],
  );
  return () => client.query('ROLLBACK');
});

const brokenRules = async (): Promise<string[]> => [
  ...new Set((await findBrokenRules(client)).map(({ says }) => says)),
];

const insertQuote = (status: 'ACTIVE' | 'CONSUMED') =>
  client.query(
    `INSERT INTO gold_quote (id, user_id, kind, status, unit, requested_amount, grams,
       price_per_gram_paise, gold_value_paise, gst_paise, gst_rate_bps, total_paise,
       rounding_paise, provider, provider_tx_id, lock_started_at, lock_ends_at, expires_at,
       consumed_at, created_at, updated_at)
     VALUES ($1, $2, 'BUY', $3, 'INR', 103, 0.01, 1000000, 10000, 300, 300, 10300, 0, 'safegold',
       '1', now(), now(), now(), CASE WHEN $3 = 'CONSUMED' THEN now() END, now(), now())`,
    [id(0), userId, status],
  );

const insertOrder = async (status: string) => {
  await insertQuote('CONSUMED');
  await client.query(
    `INSERT INTO gold_order (id, user_id, type, status, quote_id, unit, amount_paise, grams,
       price_per_gram_paise, gold_value_paise, gst_paise, rounding_paise, provider,
       provider_tx_id, allocated_at, created_at, updated_at)
     VALUES ($1, $2, 'BUY', $4, $3, 'INR', 10300, 0.01, 1000000, 10000, 300, 0, 'safegold', '1',
       CASE WHEN $4 = 'ALLOCATED' THEN now() END, now(), now())`,
    [orderId, userId, id(0), status],
  );
};

const insertEvent = (n: number, from: string | null, to: string, actor = 'worker') =>
  client.query(
    `INSERT INTO gold_order_event (id, order_id, from_status, to_status, cause, actor, at)
     VALUES ($1, $2, $3, $4, 'x', $5, now())`,
    [id(n), orderId, from, to, actor],
  );

const placedBy = `customer:${userId}`;

it('the check finds nothing in correct books', async () => {
  expect(await findBrokenRules(client)).toEqual([]);
  await insertOrder('PENDING');
  await insertEvent(1, null, 'PENDING', placedBy);
  expect(await findBrokenRules(client)).toEqual([]);
});

it('the check has a different text for each rule', () => {
  expect(new Set(databaseRules.map(({ says }) => says)).size).toBe(databaseRules.length);
});

it('the check reads one snapshot, and can change nothing', async () => {
  await client.query('ROLLBACK');
  const change = () => client.query(`DELETE FROM holding`);
  await expect(atOneMoment(client, change)).rejects.toThrow('read-only transaction');
  await client.query('BEGIN');
});

it('the check finds a balance that no movement made', async () => {
  await client.query(`UPDATE holding SET balance = 1 WHERE user_id = $1`, [userId]);
  expect(await findBrokenRules(client)).toMatchObject([
    {
      invariant: 1,
      says: "a holding is the sum of its movements' grams and rupees",
      row: { user_id: userId, balance: '1.00000000', grams: null },
    },
  ]);
});

it('the check finds an order that reads ALLOCATED without money, gold, confirm or history', async () => {
  await insertOrder('ALLOCATED');
  expect(await brokenRules()).toEqual([
    'an order that has its money has it from exactly one payment',
    'an allocated order has one credit, of its grams and its rupees',
    'an order has at most one successful confirm, and exactly one once it is allocated',
    "an order's history is a chain without a gap that ends at its status",
  ]);
});

const insertSell = async (status: string) => {
  await client.query(
    `INSERT INTO bank_account (id, user_id, status, number_sealed, number_hash, account_last4,
       ifsc, holder_name_sealed, created_at, updated_at)
     VALUES ($1, $2, 'VERIFIED', 'x', 'x', '1234', 'HDFC0000001', 'x', now(), now())`,
    [id(50), userId],
  );
  await client.query(
    `INSERT INTO gold_quote (id, user_id, kind, status, unit, requested_amount, grams,
       price_per_gram_paise, proceeds_paise, withheld_paise, provider, provider_rate_id,
       provider_price_paise, expires_at, consumed_at, created_at, updated_at)
     VALUES ($1, $2, 'SELL', 'CONSUMED', 'GRAMS', 0.01, 0.01, 1000000, 10000, 0, 'safegold', '1',
       1000000, now(), now(), now(), now())`,
    [id(0), userId],
  );
  await client.query(
    `INSERT INTO gold_order (id, user_id, type, status, quote_id, unit, amount_paise, grams,
       price_per_gram_paise, proceeds_paise, withheld_paise, provider, bank_account_id,
       created_at, updated_at)
     VALUES ($1, $2, 'SELL', $4, $3, 'GRAMS', 9999, 0.01, 1000000, 9999, 0, 'safegold', $5,
       now(), now())`,
    [orderId, userId, id(0), status, id(50)],
  );
};

it('the check finds a sale that reads CONFIRMED without debit, confirm, payout, key or history', async () => {
  await insertSell('CONFIRMED');
  expect(await brokenRules()).toEqual([
    'a confirmed sale, and no other, has one debit of its grams, and the time of the debit',
    "a sale's rupees are its grams at its quote's price, with nothing withheld",
    'a sale has at most one successful confirm, and exactly one once it is confirmed',
    'a confirmed sale, and no other, has one payout, which is of the same amount',
    'every sale has one idempotency key',
    "an order's history is a chain without a gap that ends at its status",
  ]);
});

it('the check finds a sale that failed without a reason, and a reservation without a sale', async () => {
  await insertSell('FAILED');
  expect(await brokenRules()).toContain(
    'only a verified sale is under review, and only a failed sale has a failure code',
  );
  await client.query(`UPDATE gold_order SET status = 'PENDING' WHERE id = $1`, [orderId]);
  expect(await brokenRules()).toContain(
    'reserved grams are those of open sales and open reviews, and never exceed the balance',
  );
});

it('the check finds transitions that are not in the table, or have no actor', async () => {
  await insertOrder('PENDING');
  await insertEvent(1, null, 'PENDING', 'somebody');
  await insertEvent(2, 'PENDING', 'ALLOCATED');
  await insertEvent(3, 'ALLOCATED', 'PENDING');
  const found = await findBrokenRules(client);
  expect(found.map(({ row }) => row)).toMatchObject([
    { to_status: 'PENDING', actor: 'somebody' },
    { to_status: 'ALLOCATED' },
    { from_status: 'ALLOCATED', to_status: 'PENDING' },
  ]);
});

it('the check finds a gap in the history', async () => {
  await insertOrder('FAILED');
  await insertEvent(1, null, 'PENDING', placedBy);
  await insertEvent(2, 'PAID', 'MANUAL_REVIEW');
  await insertEvent(3, 'PENDING', 'FAILED');
  expect(await brokenRules()).toEqual([
    "an order's history is a chain without a gap that ends at its status",
  ]);
});

type Captured = { n: number; standing: string; paise: number; paymentOrderId?: string };
const insertCaptured = (of: Captured) =>
  client.query(
    `INSERT INTO gateway_payment (id, gateway, gateway_payment_id, payment_order_id, status,
       standing, amount_paise, currency, learned_at, updated_at)
     VALUES ($1, 'sandbox', $2, $3, 'CAPTURED', $4, $5, 'INR', now(), now())`,
    [id(of.n), `p${of.n}`, of.paymentOrderId ?? null, of.standing, of.paise],
  );

it('the check finds money without a place, and adds up the other places', async () => {
  await insertCaptured({ n: 1, standing: 'UNMATCHED', paise: 700 });
  await insertCaptured({ n: 2, standing: 'APPLIED', paise: 300 });
  expect(await findBrokenRules(client)).toMatchObject([
    { invariant: 3, row: { gateway_payment_id: 'p2' } },
  ]);
  expect(await readMoneyPlaces(client)).toEqual({
    captured: 1000n,
    allocated: 0n,
    awaitingAllocation: 0n,
    underReview: 0n,
    unmatched: 700n,
    reversed: 0n,
  });
});

const insertReversal = (paise: number) =>
  client.query(
    `INSERT INTO payment_reversal (id, gateway, gateway_payment_id, kind, amount_paise, learned_at,
       gateway_at)
     VALUES ($1, 'sandbox', 'p1', 'DISPUTE', $2, now(), now())`,
    [id(60), paise],
  );

it('the check counts reversed money as a separate place', async () => {
  await insertCaptured({ n: 1, standing: 'UNMATCHED', paise: 700 });
  await insertReversal(200);
  const places = { captured: 700n, unmatched: 500n, reversed: 200n };
  expect(await readMoneyPlaces(client)).toMatchObject(places);
});

it('the check finds reversed money that is not under review, or that was also refunded here', async () => {
  await insertOrder('PAID');
  await client.query(
    `INSERT INTO payment_order (id, user_id, order_id, gateway, gateway_order_id, amount_paise,
       status, created_at, updated_at)
     VALUES ($1, $2, $3, 'sandbox', 'o1', 10300, 'GATEWAY_ORDER_CREATED', now(), now())`,
    [id(61), userId, orderId],
  );
  await insertCaptured({ n: 1, standing: 'APPLIED', paise: 10_300, paymentOrderId: id(61) });
  const unreviewed =
    'an order whose money was reversed is under review until an operator resolves it';
  const unaccounted = 'reversals and failures of a payment that was refunded here are resolved';
  expect(await brokenRules()).not.toContain(unreviewed);
  await insertReversal(1);
  expect(await brokenRules()).toContain(unreviewed);
  await client.query(`UPDATE gateway_payment SET status = 'REFUNDED', standing = 'REFUNDED'`);
  expect(await brokenRules()).toContain(unaccounted);
  await client.query('UPDATE payment_reversal SET resolved_at = now()');
  expect(await brokenRules()).not.toContain(unaccounted);
  await client.query('UPDATE gateway_payment SET failed_after_capture_at = now()');
  expect(await brokenRules()).toContain(unaccounted);
  const unjudged =
    'an order whose captured payment failed is under review until an operator resolves it';
  await client.query(`UPDATE gateway_payment SET status = 'CAPTURED', standing = 'APPLIED'`);
  expect(await brokenRules()).toContain(unjudged);
  await client.query('UPDATE gateway_payment SET failure_resolved_at = now()');
  expect(await brokenRules()).not.toContain(unjudged);
});

it('the check finds grams that a review reserved or recovered without a cause', async () => {
  await insertOrder('ALLOCATED');
  await client.query(`UPDATE holding SET balance = 1, reserved = 0.01 WHERE user_id = $1`, [
    userId,
  ]);
  await client.query(
    `INSERT INTO holding_reservation (id, user_id, order_id, wanted, grams, created_at, updated_at)
     VALUES ($1, $2, $3, 0.01, 0.01, now(), now())`,
    [id(62), userId, orderId],
  );
  const found = await brokenRules();
  expect(found).toContain("a review's reservation is of an order under review that has its gold");
  expect(found).not.toContain(
    'reserved grams are those of open sales and open reviews, and never exceed the balance',
  );
  await client.query('UPDATE gold_order SET recovered_at = now() WHERE id = $1', [orderId]);
  expect(await brokenRules()).toContain(
    'recovered grams are at most those of their order, which is marked and has no money',
  );
});

it('the check finds a count of transactions that is not that of the rows', async () => {
  await insertOrder('PENDING');
  await insertEvent(1, null, 'PENDING', placedBy);
  await client.query('UPDATE transaction_count SET count = count + 1');
  expect(await findBrokenRules(client)).toMatchObject([
    { invariant: 12, row: { user_id: userId, rows: '1', counted: 2 } },
  ]);
});

it("the check finds a count of the operators' feed that is not that of the rows", async () => {
  await insertOrder('PENDING');
  await insertEvent(1, null, 'PENDING', placedBy);
  await client.query('UPDATE transaction_change SET change = change + 1');
  expect(await findBrokenRules(client)).toMatchObject([
    { invariant: 12, row: { kind: 'GOLD_BUY', status: 'PENDING', rows: '1', counted: '2' } },
  ]);
});

it('the check finds a running total that is not that of the rows', async () => {
  await client.query('UPDATE running_total SET grams = grams + 1 WHERE shard = 0');
  expect(await findBrokenRules(client)).toMatchObject([
    { invariant: 12, row: { grams: '1.00000000', real_grams: '0.00000000' } },
  ]);
});

const insertProductOrder = async () => {
  await client.query(
    `INSERT INTO product (id, name, category, purity_karat, weight_grams, pricing_mode,
       price_paise, created_at, updated_at)
     VALUES ($1, 'Plain band', 'RINGS', 22, 3.5, 'FIXED', 50, now(), now())`,
    [id(70)],
  );
  await client.query(
    `INSERT INTO product_order (id, user_id, status, items_total_paise, gst_paise, gst_rate_bps,
       delivery_fee_paise, total_paise, shipping_address_sealed, created_at, updated_at)
     VALUES ($1, $2, 'CONFIRMED', 150, 5, 300, 0, 155, 'x', now(), now())`,
    [orderId, userId],
  );
};
const insertProductLine = (lineNo: number, gstPaise: number) =>
  client.query(
    `INSERT INTO product_order_line (id, order_id, line_no, product_id, name, quantity,
       unit_price_paise, gst_paise, line_total_paise)
     VALUES ($1, $2, $3, $4, 'Plain band', 3, 50, $5, 150 + $5::bigint)`,
    [id(71 + lineNo), orderId, lineNo, id(70), gstPaise],
  );
const insertProductEvent = (n: number, from: string | null, to: string, actor = placedBy) =>
  client.query(
    `INSERT INTO product_order_event (id, order_id, from_status, to_status, cause, actor, at)
     VALUES ($1, $2, $3, $4, 'x', $5, now())`,
    [id(n), orderId, from, to, actor],
  );

const sums = 'the figures of a product order are the sums of its lines, numbered from 1';
const lineGst = "the GST of a product order's line is half-up over the line at the order's rate";
const chain = "a product order's history is a chain without a gap that ends at its status";
const transitions = 'every transition of a product order is in the table and has a valid actor';

it('the check finds a product order whose lines, GST or history are not its own', async () => {
  await insertProductOrder();
  expect(await brokenRules()).toEqual([sums, chain]);
  await insertProductEvent(80, null, 'PLACED');
  await insertProductLine(2, 4);
  expect(await brokenRules()).toEqual([sums, lineGst, chain]);
  await insertProductEvent(81, 'PLACED', 'SHIPPED', 'worker');
  expect(await brokenRules()).toEqual([sums, lineGst, transitions, chain]);
});

it('the check finds nothing wrong with a product order that adds up', async () => {
  await insertProductOrder();
  await insertProductLine(1, 5);
  await insertProductEvent(80, null, 'PLACED');
  await insertProductEvent(81, 'PLACED', 'CONFIRMED', `admin:${userId}`);
  expect(await findBrokenRules(client)).toEqual([]);
});

it('the check finds a plan whose installments differ from those it raised', async () => {
  await client.query(
    `INSERT INTO sip_plan (id, user_id, status, amount_paise, frequency, duration_installments,
       start_date, installments_raised, created_at, updated_at)
     VALUES ($1, $2, 'ACTIVE', 100000, 'MONTHLY', 12, now(), 1, now(), now())`,
    [id(90), userId],
  );
  const plans = 'a plan has as many orders of installments as it raised, numbered from 1';
  expect(await findBrokenRules(client)).toMatchObject([
    { invariant: 14, says: plans, row: { id: id(90), installments_raised: 1, orders: null } },
  ]);
  const insertInstallment = async (n: number, number: number) => {
    await client.query(
      `INSERT INTO gold_order (id, user_id, type, status, unit, amount_paise, sip_plan_id,
         installment_no, due_at, created_at, updated_at)
       VALUES ($1, $2, 'SIP_INSTALLMENT', 'PENDING', 'INR', 100000, $3, $4, now(), now(), now())`,
      [id(n), userId, id(90), number],
    );
  };
  await insertInstallment(91, 2);
  expect(await brokenRules()).toContain(plans);
  await insertInstallment(92, 1);
  expect(await brokenRules()).toContain(plans);
  await client.query('UPDATE sip_plan SET installments_raised = 2 WHERE id = $1', [id(90)]);
  expect(await brokenRules()).not.toContain(plans);
});

it('the check finds a right that the application must not have', async () => {
  await client.query('GRANT UPDATE ON audit_log TO dgs_app');
  expect(await findBrokenRules(client)).toMatchObject([
    { invariant: 11, row: { name: 'audit_log', may: 'UPDATE' } },
  ]);
});

it.each(['{"pan": "ABCPE1234F"}', '{"note": "Aadhaar 234567890124"}'])(
  'finds personal numbers in the audit log: %s',
  async (after) => {
    await client.query(
      `INSERT INTO audit_log (id, action, actor_api, after, at)
       VALUES ($1, 'x', 'admin', $2, now())`,
      [id(1), after],
    );
    expect(await findBrokenRules(client)).toMatchObject([
      { invariant: 10, row: { place: 'audit_log', id: id(1) } },
    ]);
  },
);
