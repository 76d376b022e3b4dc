import { addMs } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';
import { joinSql, sql, type Sql } from '../../platform/db/index.ts';
import { openKinds, type OpenKind } from './figures.types.ts';

const hourMs = 60 * 60_000;
const warningMs = 30 * 24 * hourMs;

/**
 * Selects open gold orders of a type. A paid order waits since its payment, because each retry
 * changes `updated_at`.
 */
const goldOrders = (type: Sql): Sql => sql`
  status AS state, CASE WHEN status IN ('PAID', 'RETRY_PENDING') THEN coalesce(paid_at, updated_at)
    ELSE updated_at END AS since
  FROM gold_order
  WHERE status IN ('PENDING', 'PAID', 'RETRY_PENDING', 'MANUAL_REVIEW') AND type = ${type}`;

/**
 * Selects the calls to collaborators that are in progress or have an unknown outcome, by flow. Each
 * part uses its flow's index of such calls.
 */
const undecidedCalls = sql`
  SELECT 'deployment' AS state, at AS since FROM deploy_trigger
    WHERE status IN ('DISPATCHING', 'UNKNOWN')
  UNION ALL SELECT 'validation', updated_at FROM bank_account
    WHERE status = 'PENDING' AND deleted_at IS NULL AND provider_validation_id IS NULL
  UNION ALL SELECT 'debit', coalesce(debit_requested_at, debit_due_at) FROM payment_order
    WHERE debit_status IN ('INTENDED', 'UNKNOWN')
      AND status IN ('CREATED', 'GATEWAY_ORDER_CREATED')
  UNION ALL SELECT 'payout', started_at FROM payout_attempt
    WHERE status IN ('INTENDED', 'UNKNOWN')
  UNION ALL SELECT 'gateway_order', started_at FROM gateway_attempt
    WHERE status IN ('INTENDED', 'UNKNOWN')
  UNION ALL SELECT CASE operation WHEN 'buy-confirm' THEN 'allocation'
      WHEN 'sell-confirm' THEN 'sale_confirm' ELSE 'sale_verify' END, started_at
    FROM provider_operation WHERE status IN ('INTENDED', 'UNKNOWN')`;

/**
 * Returns the selects of the open rows of each kind, with their state and the start of their wait.
 * Each uses an index of open rows, so its cost depends on the number of open rows alone.
 */
const sources = (now: Date): Readonly<Record<OpenKind, Sql>> => ({
  buy: goldOrders(sql`'BUY'`),
  installment: goldOrders(sql`'SIP_INSTALLMENT'`),
  sale: sql`status AS state, updated_at AS since FROM gold_order
    WHERE status IN ('PENDING', 'VERIFIED', 'CONFIRMED') AND type = 'SELL'`,
  payout: sql`CASE WHEN status = 'PENDING' AND approval_required AND approved_at IS NULL
      THEN 'HELD' ELSE status END AS state,
    CASE WHEN status IN ('FAILED', 'REVERSED') THEN updated_at
      ELSE coalesce(dispatched_at, approved_at, created_at) END AS since
    FROM payout
    WHERE status IN ('PENDING', 'PROCESSING', 'FAILED', 'REVERSED')`,
  product_order: sql`status AS state, updated_at AS since FROM product_order
    WHERE status IN ('PLACED', 'CONFIRMED', 'PACKED', 'SHIPPED')`,
  review: sql`manual_review_code AS state, updated_at AS since FROM gold_order
    WHERE manual_review_code IS NOT NULL AND status IN ('MANUAL_REVIEW', 'VERIFIED')`,
  // As in the list of reviews, the debit was due an hour ago and is still undecided.
  debit: sql`debit_status AS state, debit_due_at AS since FROM payment_order
    WHERE debit_status IN ('INTENDED', 'UNKNOWN')
      AND status IN ('CREATED', 'GATEWAY_ORDER_CREATED')
      AND debit_due_at < ${addMs(now, -hourMs)}::timestamptz`,
  payment: sql`standing AS state, learned_at AS since FROM gateway_payment
    WHERE status = 'CAPTURED' AND standing = 'UNMATCHED'`,
  kyc: sql`status AS state, submitted_at AS since FROM kyc_record WHERE status = 'SUBMITTED'`,
  ticket: sql`status AS state, created_at AS since FROM support_ticket
    WHERE status IN ('OPEN', 'IN_PROGRESS')`,
  webhook: sql`status AS state, received_at AS since FROM webhook_event
    WHERE status IN ('PENDING', 'UNMATCHED')`,
  // As in the warnings of the readiness report, the evidence expires within 30 days or has expired.
  evidence: sql`'ENDING' AS state, (expires_on - 30)::timestamptz AS since FROM readiness_evidence
    WHERE expires_on < ${istDate(addMs(now, warningMs))}::date`,
  call: sql`state, since FROM (${undecidedCalls}) AS undecided`,
});

/** Counts the open rows by kind and state, with the start of the oldest wait. */
export const openWorkSql = (now: Date): Sql => {
  const selects = sources(now);
  const counts = openKinds.map(
    (kind) => sql`
      SELECT ${kind}::text AS kind, state, count(*)::int AS count, min(since) AS "oldestAt"
      FROM (SELECT ${selects[kind]}) AS open GROUP BY state`,
  );
  return joinSql(counts, ' UNION ALL ');
};
