import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { freshDatabase, type FreshDatabase } from '../../../../test/support/fresh-database.ts';
import { findBreaches, invariants } from './find-breaches.ts';
import { readMoneyPlaces } from './money-places.ts';

let database: FreshDatabase;
let client: Client;

const ask = async <Row>(sql: string): Promise<readonly Row[]> =>
  // The rows are of the columns that the question names.
  (await client.query(sql)).rows as Row[];

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

const breached = async (): Promise<string[]> => [
  ...new Set((await findBreaches(ask)).map(({ invariant }) => invariant)),
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

const insertOrder = async (status: string, rounding = 0) => {
  await insertQuote('CONSUMED');
  await client.query(
    `INSERT INTO gold_order (id, user_id, type, status, quote_id, unit, amount_paise, grams,
       price_per_gram_paise, gold_value_paise, gst_paise, rounding_paise, provider,
       provider_tx_id, allocated_at, created_at, updated_at)
     VALUES ($1, $2, 'BUY', $4, $3, 'INR', 10300, 0.01, 1000000, 10000, 300, $5, 'safegold', '1',
       now(), now(), now())`,
    [orderId, userId, id(0), status, rounding],
  );
};

const insertEvent = (n: number, from: string | null, to: string, actor = 'worker') =>
  client.query(
    `INSERT INTO gold_order_event (id, order_id, from_status, to_status, cause, actor, at)
     VALUES ($1, $2, $3, $4, 'x', $5, now())`,
    [id(n), orderId, from, to, actor],
  );

it('finds nothing where nothing is wrong', async () => {
  expect(await findBreaches(ask)).toEqual([]);
  await insertOrder('PENDING');
  await insertEvent(1, null, 'PENDING', 'customer:x');
  expect(await findBreaches(ask)).toEqual([]);
});

it('has a name of its own for each', () => {
  expect(new Set(invariants.map(({ name }) => name)).size).toBe(invariants.length);
});

it('finds a balance that no movement made', async () => {
  await client.query(`UPDATE holding SET balance = 1 WHERE user_id = $1`, [userId]);
  expect(await breached()).toEqual([
    "a holding's balance and invested are the sums of its movements",
  ]);
});

it('finds an order that reads ALLOCATED without gold, confirm, money or history', async () => {
  await insertOrder('ALLOCATED');
  expect(await breached()).toEqual([
    'an allocated order has one credit, of its grams and its money',
    'an order that reads paid has one captured payment of its own amount',
    'an allocated order has one confirm that the provider did',
    'an order is in the state that its history ends with',
  ]);
});

it('finds a rounding that is not what flooring left', async () => {
  await insertOrder('PENDING', 1);
  await insertEvent(1, null, 'PENDING', 'customer:x');
  expect(await breached()).toEqual([
    'the paise of a buy add up, and its rounding is what flooring its grams left',
  ]);
});

it('finds moves that are not in the table, or by who may not cause them', async () => {
  await insertOrder('PAID');
  await insertEvent(1, null, 'PENDING', 'customer:x');
  await insertEvent(2, 'PENDING', 'PAID', 'worker');
  expect(await breached()).toContain(
    'every move of a buy in the history is legal, and by who may cause it',
  );
});

it('finds a gap in the history', async () => {
  await insertOrder('PAID');
  await insertEvent(1, 'FAILED', 'PAID', 'gateway:sandbox');
  expect(await breached()).toContain('every state in the history follows from the one before');
});

it('finds money without a place, and says where the rest is', async () => {
  await client.query(
    `INSERT INTO gateway_payment (id, gateway, gateway_payment_id, status, standing, amount_paise,
       currency, learned_at, updated_at)
     VALUES ($1, 'sandbox', 'p1', 'CAPTURED', 'UNMATCHED', 700, 'INR', now(), now()),
       ($2, 'sandbox', 'p2', 'CAPTURED', 'APPLIED', 300, 'INR', now(), now())`,
    [id(1), id(2)],
  );
  expect(await findBreaches(ask)).toEqual([
    {
      invariant: 'every captured payment is in one place: paid, allocated, or under review',
      breach: 'payment p2 of 300 paise (APPLIED): order  is not there',
    },
  ]);
  expect(await readMoneyPlaces(ask)).toEqual({
    captured: 1000n,
    allocated: 0n,
    awaitingAllocation: 0n,
    underReview: 0n,
    unmatched: 700n,
  });
});

it('finds a right that the application must not have', async () => {
  await client.query('GRANT UPDATE ON audit_log TO dgs_app');
  expect(await findBreaches(ask)).toEqual([
    {
      invariant: "the application's role can't change or delete what is append-only",
      breach: 'dgs_app may update audit_log',
    },
  ]);
});

it.each(['{"pan": "ABCPE1234F"}', '{"note": "Aadhaar 234567890124"}'])(
  'finds personal numbers in the audit log: %s',
  async (after) => {
    await client.query(
      `INSERT INTO audit_log (id, action, actor_api, after, at) VALUES ($1, 'x', 'admin', $2, now())`,
      [id(1), after],
    );
    expect(await breached()).toEqual([
      'no audit row and no event holds a PAN or an Aadhaar in clear',
    ]);
  },
);
