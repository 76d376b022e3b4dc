import { sql, type Sql } from '../../platform/db/index.ts';
import { isUuid } from '../../platform/ids/random.ts';
import { count, date, money, noJoins, personName, text, time, valuesOf } from './columns.ts';
import type { Register } from './registers.types.ts';

const moment = sql`coalesce(t.paid_at, t.created_at)`;

/** Selects payouts by the provider's id of an attempt or by UTR. */
const byReference = (q: string): Sql => sql`
  SELECT a.payout_id FROM payout_attempt a
  WHERE a.provider_payout_id = ${q}
    AND a.provider IN ${valuesOf(sql`payout_attempt`, sql`provider`)}
  UNION SELECT f.id FROM payout f WHERE f.utr = ${q}`;

const byId = (q: string): Sql => sql`
  SELECT f.id FROM payout f
  WHERE f.id = ${q}::uuid OR f.order_id = ${q}::uuid OR f.user_id = ${q}::uuid
    OR f.bank_account_id = ${q}::uuid`;

/** Payouts of sales, by the day on which they were paid. An unpaid payout has the day of its creation. */
export const payoutsRegister: Register = {
  name: 'payouts',
  permission: 'gold.payouts.read',
  summary: 'Payouts of sales, by the day on which the money left',
  statuses: ['PENDING', 'PROCESSING', 'PAID', 'FAILED', 'REVERSED'],
  table: 'payout',
  alias: 't',
  moment,
  key: sql`t.id`,
  figures: noJoins,
  lookups: sql`
    LEFT JOIN app_user u ON u.id = t.user_id
    LEFT JOIN bank_account b ON b.id = t.bank_account_id`,
  columns: [
    date('date', moment),
    text('payoutId', sql`t.id`),
    text('orderId', sql`t.order_id`),
    text('status', sql`t.status`),
    text('customerId', sql`t.user_id`),
    personName('customerName', sql`u.full_name`),
    money('amountPaise', sql`t.amount_paise`),
    money('paidPaise', sql`CASE WHEN t.status = 'PAID' THEN t.amount_paise END`),
    text('mode', sql`t.mode`),
    count('attempt', sql`t.attempt`),
    text('provider', sql`t.provider`),
    text('providerPayoutId', sql`t.provider_payout_id`),
    text('utr', sql`t.utr`),
    text('accountLast4', sql`b.account_last4`),
    text('hold', sql`t.hold`),
    text('approvedBy', sql`t.approved_by`),
    time('createdAt', sql`t.created_at`),
    time('paidAt', sql`t.paid_at`),
  ],
  isOfStatus: (status) => sql`t.status = ${status}`,
  isFoundBy: (q) => sql`t.id IN (${isUuid(q) ? byId(q) : byReference(q)})`,
};
