import { withConnection } from '../../dev/stack/database-setup.ts';
import { dueAtOf } from '../../src/modules/plans/schedule.rules.ts';
import { addMs, createSystemClock } from '../../src/platform/clock/clock.ts';
import { istDate } from '../../src/platform/clock/ist.ts';

const dayMs = 24 * 60 * 60_000;

/** Plans of one customer each, which are all due at the same time. */
interface DuePlans {
  readonly count: number;
  /** No other plans of the benchmark have this time. */
  readonly createdAt: Date;
}

/** Inserts customers with the approved KYC that a plan requires. */
export const insertCustomers = (migrateUrl: string, count: number): Promise<void> =>
  withConnection(migrateUrl, async (client) => {
    await client.query(
      `INSERT INTO app_user (id, phone, phone_hash, referral_code, created_at, updated_at)
       SELECT gen_random_uuid(), '+917' || lpad(n::text, 9, '0'), 'bench-' || n, 'bench-' || n,
         now(), now()
       FROM generate_series(1, $1::int) AS n`,
      [count],
    );
    await client.query(
      `INSERT INTO kyc_record (id, user_id, status, submitted_at, created_at, updated_at)
       SELECT gen_random_uuid(), id, 'APPROVED', now(), now(), now()
       FROM app_user WHERE referral_code LIKE 'bench-%'`,
    );
    await client.query('ANALYZE');
  });

/**
 * Inserts monthly plans whose first installment was due yesterday at 09:00 IST. Half have a
 * mandate.
 */
export const insertDuePlans = async (migrateUrl: string, given: DuePlans): Promise<void> => {
  const startDate = istDate(addMs(createSystemClock().now(), -dayMs));
  const dueAt = dueAtOf({ startDate, frequency: 'MONTHLY' }, 1);
  await withConnection(migrateUrl, async (client) => {
    await client.query(
      `INSERT INTO sip_plan (id, user_id, status, amount_paise, frequency, duration_installments,
         start_date, mandate_token_sealed, mandate_gateway, next_due_at, created_at, updated_at)
       SELECT gen_random_uuid(), id, 'ACTIVE', 50000, 'MONTHLY', 12, $2::date,
         CASE WHEN n % 2 = 0 THEN 'x' END, CASE WHEN n % 2 = 0 THEN 'sandbox' END, $3, $4, $4
       FROM (
         SELECT id, row_number() OVER (ORDER BY phone) AS n
         FROM app_user WHERE referral_code LIKE 'bench-%') AS customer
       WHERE n <= $1::int`,
      [given.count, startDate, dueAt, given.createdAt],
    );
    await client.query('ANALYZE sip_plan');
  });
};

/**
 * Checks that each of these plans moved on once, and has one gold order with one payment order and
 * one notification.
 * @throws Error with the counts if any of these differs
 */
export const requireRaisedOnce = (migrateUrl: string, given: DuePlans): Promise<void> =>
  withConnection(migrateUrl, async (client) => {
    const { rows } = await client.query<Record<string, number>>(
      `WITH plan AS (SELECT * FROM sip_plan WHERE created_at = $1),
         placed AS (SELECT o.* FROM gold_order o JOIN plan ON plan.id = o.sip_plan_id)
       SELECT (SELECT count(*)::int FROM plan) AS plans,
         (SELECT count(*)::int FROM plan WHERE installments_raised = 1 AND holder_id IS NULL
            AND next_due_at > now()) AS advanced,
         (SELECT count(*)::int FROM placed) AS orders,
         (SELECT count(DISTINCT sip_plan_id)::int FROM placed
            WHERE status = 'PENDING' AND installment_no = 1) AS "plans with an order",
         (SELECT count(*)::int FROM payment_order p JOIN placed ON placed.id = p.order_id)
           AS "payment orders",
         (SELECT count(*)::int FROM notification n JOIN plan ON plan.id::text = n.data->>'planId')
           AS notifications`,
      [given.createdAt],
    );
    const counts = Object.values(rows[0] ?? {});
    if (counts.length > 0 && counts.every((count) => count === given.count)) return;
    throw new Error(`of ${given.count} plans: ${JSON.stringify(rows[0])}`);
  });
