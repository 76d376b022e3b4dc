import type { Client } from 'pg';
import { createRandom } from '../../src/platform/ids/random.ts';

/** A row as columns and values. `undefined` leaves the column out. */
export type Row = Readonly<Record<string, unknown>>;

const random = createRandom();
const at = '2026-11-21T09:00:00.000Z';
const later = '2026-11-21T09:08:00.000Z';

export const newId = (): string => random.uuid();

/** Inserts one row as whoever `client` is. */
export const insert = async (client: Client, table: string, row: Row): Promise<void> => {
  const columns = Object.keys(row).filter((column) => row[column] !== undefined);
  const values = columns.map((column) => row[column]);
  const places = columns.map((_, index) => `$${index + 1}`);
  await client.query(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`,
    values,
  );
};

const stamps = { created_at: at, updated_at: at };

export const userRow = (): Row => ({
  id: newId(),
  phone: `+919${random.digits(9)}`,
  phone_hash: newId(),
  referral_code: newId(),
  ...stamps,
});

export const bankAccountRow = (userId: unknown): Row => ({
  id: newId(),
  user_id: userId,
  status: 'VERIFIED',
  number_sealed: 'sealed',
  number_hash: newId(),
  account_last4: '1234',
  ifsc: 'HDFC0001234',
  holder_name_sealed: 'sealed',
  ...stamps,
});

export const buyQuoteRow = (userId: unknown): Row => ({
  id: newId(),
  user_id: userId,
  kind: 'BUY',
  status: 'ACTIVE',
  unit: 'INR',
  requested_amount: '1000',
  grams: '0.1618',
  price_per_gram_paise: 600_000,
  gold_value_paise: 97_087,
  gst_paise: 2913,
  gst_rate_bps: 300,
  total_paise: 100_000,
  rounding_paise: 7,
  provider: 'safegold',
  provider_tx_id: newId(),
  lock_started_at: at,
  lock_ends_at: later,
  expires_at: later,
  ...stamps,
});

export const sellQuoteRow = (userId: unknown): Row => ({
  id: newId(),
  user_id: userId,
  kind: 'SELL',
  status: 'ACTIVE',
  unit: 'GRAMS',
  requested_amount: '0.1',
  grams: '0.1',
  price_per_gram_paise: 590_000,
  proceeds_paise: 59_000,
  withheld_paise: 0,
  provider: 'safegold',
  provider_rate_id: newId(),
  provider_price_paise: 590_000,
  expires_at: later,
  ...stamps,
});

export const buyOrderRow = (userId: unknown, quoteId: unknown): Row => ({
  id: newId(),
  user_id: userId,
  type: 'BUY',
  status: 'PENDING',
  quote_id: quoteId,
  unit: 'INR',
  amount_paise: 100_000,
  grams: '0.1618',
  price_per_gram_paise: 600_000,
  gold_value_paise: 97_087,
  gst_paise: 2913,
  gst_rate_bps: 300,
  rounding_paise: 7,
  provider: 'safegold',
  provider_tx_id: newId(),
  expires_at: later,
  ...stamps,
});

export const sellOrderRow = (userId: unknown, quoteId: unknown, bankAccountId: unknown): Row => ({
  id: newId(),
  user_id: userId,
  type: 'SELL',
  status: 'PENDING',
  quote_id: quoteId,
  unit: 'GRAMS',
  amount_paise: 59_000,
  grams: '0.1',
  price_per_gram_paise: 590_000,
  proceeds_paise: 59_000,
  withheld_paise: 0,
  bank_account_id: bankAccountId,
  ...stamps,
});

export const sipPlanRow = (userId: unknown): Row => ({
  id: newId(),
  user_id: userId,
  status: 'ACTIVE',
  amount_paise: 100_000,
  frequency: 'MONTHLY',
  duration_installments: 12,
  start_date: '2026-11-21',
  next_due_at: later,
  ...stamps,
});

export const installmentRow = (userId: unknown, planId: unknown): Row => ({
  id: newId(),
  user_id: userId,
  type: 'SIP_INSTALLMENT',
  status: 'PENDING',
  unit: 'INR',
  amount_paise: 100_000,
  sip_plan_id: planId,
  installment_no: 1,
  due_at: at,
  ...stamps,
});

export const holdingRow = (userId: unknown): Row => ({ user_id: userId, ...stamps });

export const movementRow = (userId: unknown, orderId: unknown): Row => ({
  id: newId(),
  user_id: userId,
  order_id: orderId,
  kind: 'CREDIT',
  grams: '0.1618',
  invested_paise: 100_000,
  balance_after: '0.1618',
  invested_after_paise: 100_000,
  version: 1,
  at,
});

export const productRow = (): Row => ({
  id: newId(),
  name: 'Plain band',
  category: 'RINGS',
  purity_karat: 22,
  weight_grams: '3.5',
  pricing_mode: 'FIXED',
  price_paise: 100_000,
  ...stamps,
});

export const productOrderRow = (userId: unknown): Row => ({
  id: newId(),
  user_id: userId,
  status: 'PLACED',
  items_total_paise: 100_000,
  gst_paise: 3_000,
  gst_rate_bps: 300,
  delivery_fee_paise: 9_900,
  total_paise: 112_900,
  shipping_address_sealed: 'x',
  ...stamps,
});

export const productOrderLineRow = (orderId: unknown, productId: unknown): Row => ({
  id: newId(),
  order_id: orderId,
  line_no: 1,
  product_id: productId,
  name: 'Plain band',
  quantity: 1,
  unit_price_paise: 100_000,
  gst_paise: 3_000,
  line_total_paise: 103_000,
});

export const paymentOrderRow = (userId: unknown, orderId: unknown): Row => ({
  id: newId(),
  user_id: userId,
  order_id: orderId,
  gateway: 'sandbox',
  gateway_order_id: newId(),
  amount_paise: 100_000,
  status: 'GATEWAY_ORDER_CREATED',
  ...stamps,
});

export const gatewayPaymentRow = (paymentOrderId: unknown): Row => ({
  id: newId(),
  gateway: 'sandbox',
  gateway_payment_id: newId(),
  payment_order_id: paymentOrderId,
  status: 'CAPTURED',
  standing: 'APPLIED',
  amount_paise: 100_000,
  currency: 'INR',
  learned_at: at,
  updated_at: at,
});

export const reservationRow = (userId: unknown, orderId: unknown): Row => ({
  id: newId(),
  user_id: userId,
  order_id: orderId,
  wanted: '0.1618',
  grams: '0.1',
  created_at: at,
  updated_at: at,
});

export const reversalRow = (): Row => ({
  id: newId(),
  gateway: 'sandbox',
  gateway_payment_id: newId(),
  kind: 'REFUND',
  reference: newId(),
  amount_paise: 100_000,
  learned_at: at,
  gateway_at: at,
});

export const payoutRow = (userId: unknown, orderId: unknown, bankAccountId: unknown): Row => ({
  id: newId(),
  user_id: userId,
  order_id: orderId,
  bank_account_id: bankAccountId,
  amount_paise: 59_000,
  status: 'PENDING',
  ...stamps,
});

export const payoutAttemptRow = (
  payoutId: string,
  bankAccountId: unknown,
  attemptNo: number,
): Row => ({
  id: newId(),
  payout_id: payoutId,
  attempt_no: attemptNo,
  bank_account_id: bankAccountId,
  idempotency_key: `${payoutId.replaceAll('-', '')}-${attemptNo}`,
  provider: 'razorpayx',
  status: 'INTENDED',
  started_at: at,
});

export const confirmRow = (orderId: unknown): Row => ({
  id: newId(),
  order_id: orderId,
  provider: 'safegold',
  operation: 'buy-confirm',
  status: 'INTENDED',
  provider_tx_id: newId(),
  verified_at: at,
  started_at: at,
});

export const webhookRow = (): Row => ({
  id: newId(),
  source: 'payment',
  gateway: 'sandbox',
  event_id: newId(),
  body_hash: newId(),
  status: 'PENDING',
  received_at: at,
});
