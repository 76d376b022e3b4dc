import { selectRows, sql, type Db, type Sql } from '../../platform/db/index.ts';
import { findJobs, type FoundJob } from '../../platform/jobs/index.ts';
import type { OrderTimelineEntry } from './order-timeline.types.ts';

/** The order of entries of the same time. A cause comes before its effect. */
const ranks = {
  quote: 0,
  provider_call: 1,
  gateway_call: 2,
  webhook: 3,
  payment: 4,
  payment_transition: 5,
  resolution: 6,
  transition: 7,
  reservation: 8,
  movement: 9,
  payout_attempt: 10,
  payout_transition: 11,
  job: 12,
} as const satisfies Record<OrderTimelineEntry['kind'], number>;

/** Returns grams as a text with four to eight decimals, as in the API. */
const gramsText = (column: Sql): Sql => sql`regexp_replace((${column})::text, '0{1,4}$', '')`;

/** Returns the milliseconds between two times, or null if the later time is not known yet. */
const durationMs = (from: Sql, to: Sql): Sql =>
  sql`round(extract(epoch FROM (${to}) - (${from})) * 1000)::bigint`;

/** Returns the common table expressions that select the rows of an order, each by an index. */
const orderTables = (orderId: string): Sql => sql`
  o AS (SELECT * FROM gold_order WHERE id = ${orderId}::uuid),
  q AS (SELECT quote.* FROM gold_quote AS quote JOIN o ON o.quote_id = quote.id),
  po AS (SELECT * FROM payment_order WHERE order_id = ${orderId}::uuid),
  attempt AS (
    SELECT a.* FROM gateway_attempt AS a JOIN po ON po.id = a.payment_order_id),
  gp AS (SELECT p.* FROM gateway_payment AS p JOIN po ON po.id = p.payment_order_id),
  op AS (SELECT * FROM provider_operation WHERE order_id = ${orderId}::uuid),
  p AS (SELECT * FROM payout WHERE order_id = ${orderId}::uuid),
  pa AS (SELECT a.* FROM payout_attempt AS a JOIN p ON p.id = a.payout_id),
  made AS (
    SELECT gateway, gateway_order_id FROM po WHERE gateway_order_id IS NOT NULL
    UNION SELECT gateway, gateway_order_id FROM attempt WHERE gateway_order_id IS NOT NULL),
  hook AS (
    SELECT e.* FROM webhook_event AS e JOIN made
      ON e.source = 'payment' AND e.gateway = made.gateway AND e.subject = made.gateway_order_id
    UNION SELECT e.* FROM webhook_event AS e JOIN gp
      ON e.source = 'payment' AND e.gateway = gp.gateway
        AND e.gateway_payment_id = gp.gateway_payment_id
    UNION SELECT e.* FROM webhook_event AS e JOIN pa
      ON e.source = 'payout' AND e.gateway = pa.provider AND e.subject = pa.provider_payout_id)`;

const quotes: Sql = sql`
  SELECT id, created_at AS at, 'quote' AS kind, NULL AS actor, jsonb_build_object('quoteId', id,
    'type', kind, 'grams', ${gramsText(sql`grams`)}, 'pricePerGramPaise', price_per_gram_paise,
    'totalPaise', total_paise, 'proceedsPaise', proceeds_paise) AS data
  FROM q`;

/**
 * The verifies of purchases. The verify of a buy is stored with its quote. Those of installments and
 * resolutions are stored with their confirm.
 */
const buyVerifies: Sql = sql`
  SELECT id, lock_started_at, 'provider_call', NULL, jsonb_build_object('operation', 'buy-verify',
    'outcome', 'DONE', 'provider', provider, 'providerTxId', provider_tx_id,
    'grams', ${gramsText(sql`grams`)}, 'amountPaise', provider_amount_paise,
    'durationMs', ${durationMs(sql`lock_started_at`, sql`created_at`)})
  FROM q WHERE kind = 'BUY' AND lock_started_at IS NOT NULL
  UNION ALL
  SELECT op.id, op.verified_at, 'provider_call', NULL, jsonb_build_object(
    'operation', 'buy-verify', 'outcome', 'DONE', 'provider', op.provider,
    'providerTxId', op.provider_tx_id, 'grams', ${gramsText(sql`op.grams`)},
    'durationMs', ${durationMs(sql`op.verified_at`, sql`op.started_at`)})
  FROM op WHERE op.operation = 'buy-confirm' AND op.verified_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM q WHERE q.provider_tx_id = op.provider_tx_id)`;

/** The id of a try, which sorts the tries of a call that began at the same time. */
const tryId: Sql = sql`lpad(to_hex(t.try_no), 32, '0')::uuid`;

/**
 * Every try of a call to the provider, and the outcome if it differs from that of the last try,
 * because a query found it. An operation whose tries were not recorded is one row.
 */
const providerCalls: Sql = sql`
  SELECT ${tryId}, t.started_at, 'provider_call', NULL, jsonb_build_object(
    'operation', t.operation, 'outcome', coalesce(t.outcome, 'UNDER_WAY'),
    'provider', t.collaborator, 'providerTxId', op.provider_tx_id,
    'grams', ${gramsText(sql`op.grams`)}, 'try', t.try_no,
    'attempts', op.attempts, 'reason', t.reason, 'durationMs', t.duration_ms)
  FROM op JOIN order_call_try AS t ON t.subject_id = op.id
  UNION ALL
  SELECT id, started_at, 'provider_call', NULL, jsonb_build_object('operation', operation,
    'outcome', status, 'provider', provider, 'providerTxId', provider_tx_id,
    'grams', ${gramsText(sql`grams`)}, 'attempts', attempts, 'reason', detail ->> 'reason',
    'durationMs', ${durationMs(sql`started_at`, sql`settled_at`)})
  FROM op WHERE NOT EXISTS (SELECT FROM order_call_try AS t WHERE t.subject_id = op.id)
  UNION ALL
  SELECT op.id, op.settled_at, 'provider_call', NULL, jsonb_build_object(
    'operation', op.operation, 'step', 'settled', 'outcome', op.status, 'provider', op.provider,
    'providerTxId', op.provider_tx_id, 'reason', op.detail ->> 'reason')
  FROM op CROSS JOIN LATERAL (
    SELECT t.outcome FROM order_call_try AS t
    WHERE t.subject_id = op.id ORDER BY t.try_no DESC LIMIT 1) AS last
  WHERE op.settled_at IS NOT NULL AND last.outcome IS DISTINCT FROM op.status`;

const gatewayCalls: Sql = sql`
  SELECT id, started_at, 'gateway_call', NULL, jsonb_build_object('operation', 'create-order',
    'outcome', status, 'gateway', gateway, 'gatewayOrderId', gateway_order_id,
    'paymentOrderId', payment_order_id, 'reason', detail,
    'durationMs', ${durationMs(sql`started_at`, sql`ended_at`)})
  FROM attempt
  UNION ALL
  SELECT ${tryId}, t.started_at, 'gateway_call', NULL, jsonb_build_object('operation', 'debit',
    'outcome', coalesce(t.outcome, 'UNDER_WAY'), 'gateway', t.collaborator,
    'gatewayDebitId', po.gateway_debit_id, 'paymentOrderId', po.id, 'try', t.try_no,
    'durationMs', t.duration_ms)
  FROM po JOIN order_call_try AS t ON t.subject_id = po.id
  UNION ALL
  SELECT id, debit_requested_at, 'gateway_call', NULL, jsonb_build_object('operation', 'debit',
    'outcome', debit_status, 'gateway', gateway, 'gatewayDebitId', gateway_debit_id,
    'paymentOrderId', id)
  FROM po WHERE debit_requested_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM order_call_try AS t WHERE t.subject_id = po.id)`;

/** The transitions of the payment orders and the payout, which other entries show as requested. */
const partTransitions: Sql = sql`
  SELECT lpad(to_hex(e.seq), 32, '0')::uuid, e.at,
    CASE e.part WHEN 'payout' THEN 'payout_transition' ELSE 'payment_transition' END, NULL,
    jsonb_build_object('from', e.from_status, 'to', e.to_status,
      CASE e.part WHEN 'payout' THEN 'payoutId' ELSE 'paymentOrderId' END, e.part_id)
  FROM order_part_event AS e JOIN o ON o.id = e.order_id WHERE e.from_status IS NOT NULL`;

const webhooks: Sql = sql`
  SELECT id, received_at, 'webhook', NULL, jsonb_build_object('step', 'received',
    'event', event_type, 'from', gateway, 'status', status, 'attempts', attempts)
  FROM hook
  UNION ALL
  SELECT id, applied_at, 'webhook', NULL, jsonb_build_object('step', 'applied',
    'event', event_type, 'from', gateway)
  FROM hook WHERE applied_at IS NOT NULL`;

const payments: Sql = sql`
  SELECT id, created_at, 'payment', NULL, jsonb_build_object('step', 'requested',
    'paymentOrderId', id, 'gateway', gateway, 'amountPaise', amount_paise, 'status', status)
  FROM po
  UNION ALL
  SELECT id, learned_at, 'payment', NULL, jsonb_build_object('step', 'reported',
    'paymentOrderId', payment_order_id, 'gateway', gateway, 'gatewayPaymentId', gateway_payment_id,
    'amountPaise', amount_paise, 'currency', currency, 'status', status,
    'disposition', disposition, 'method', method)
  FROM (SELECT gp.*, standing AS disposition FROM gp) AS reported
  UNION ALL
  SELECT id, failed_after_capture_at, 'payment', NULL, jsonb_build_object('step', 'failed',
    'gateway', gateway, 'gatewayPaymentId', gateway_payment_id, 'amountPaise', amount_paise,
    'judged', failure_resolved_at IS NOT NULL)
  FROM gp WHERE failed_after_capture_at IS NOT NULL
  UNION ALL
  SELECT r.id, r.learned_at, 'payment', NULL, jsonb_build_object('step', 'reversed',
    'reversal', r.kind, 'gateway', r.gateway, 'gatewayPaymentId', r.gateway_payment_id,
    'amountPaise', r.amount_paise, 'reference', r.reference, 'judged', r.resolved_at IS NOT NULL)
  FROM payment_reversal AS r JOIN gp USING (gateway, gateway_payment_id)`;

/** The transitions of the order. Those of an operator's resolution have the kind `resolution`. */
const transitions: Sql = sql`
  SELECT e.id, e.at, CASE WHEN e.cause LIKE 'resolve.%' THEN 'resolution' ELSE 'transition' END,
    coalesce(admin.email, e.actor), coalesce(e.detail, '{}') || jsonb_build_object(
    'from', e.from_status, 'to', e.to_status, 'cause', e.cause, 'requestId', e.request_id)
  FROM gold_order_event AS e JOIN o ON o.id = e.order_id
  LEFT JOIN admin_user AS admin ON e.actor = 'admin:' || admin.id::text`;

/** The reservations of a sale in progress, and those of the review of a reversed payment. */
const reservations: Sql = sql`
  SELECT id, created_at, 'reservation', NULL, jsonb_build_object('step', 'reserved',
    'grams', ${gramsText(sql`grams`)})
  FROM o WHERE type = 'SELL'
  UNION ALL
  SELECT e.id, e.at, 'reservation', NULL, jsonb_build_object('step', 'released',
    'grams', ${gramsText(sql`o.grams`)})
  FROM gold_order_event AS e JOIN o ON o.id = e.order_id
  WHERE o.type = 'SELL' AND (e.to_status = 'FAILED'
    OR (e.to_status = 'CONFIRMED' AND e.from_status <> 'COMPLETED'))
  UNION ALL
  SELECT r.id, r.created_at, 'reservation', NULL, jsonb_build_object('step', 'reserved',
    'grams', ${gramsText(sql`r.grams`)}, 'wantedGrams', ${gramsText(sql`r.wanted`)})
  FROM holding_reservation AS r JOIN o ON o.id = r.order_id
  UNION ALL
  SELECT r.id, r.ended_at, 'reservation', NULL, jsonb_build_object('step', 'released',
    'grams', ${gramsText(sql`r.grams`)})
  FROM holding_reservation AS r JOIN o ON o.id = r.order_id WHERE r.ended_at IS NOT NULL`;

const movements: Sql = sql`
  SELECT m.id, m.at, 'movement', NULL, jsonb_build_object('movement', m.kind,
    'grams', ${gramsText(sql`m.grams`)}, 'investedPaise', m.invested_paise,
    'balanceAfter', ${gramsText(sql`m.balance_after`)})
  FROM holding_movement AS m JOIN o ON o.id = m.order_id`;

const payoutAttempts: Sql = sql`
  SELECT p.id, p.created_at, 'payout_attempt', NULL, jsonb_build_object('step', 'requested',
    'payoutId', p.id, 'amountPaise', p.amount_paise, 'approvalRequired', p.approval_required,
    'hold', p.hold)
  FROM p
  UNION ALL
  SELECT p.id, p.approved_at, 'payout_attempt', admin.email, jsonb_build_object(
    'step', 'approved', 'payoutId', p.id, 'amountPaise', p.amount_paise)
  FROM p JOIN admin_user AS admin ON admin.id = p.approved_by WHERE p.approved_at IS NOT NULL
  UNION ALL
  SELECT id, started_at, 'payout_attempt', NULL, jsonb_build_object('step', 'started',
    'payoutId', payout_id, 'attempt', attempt_no, 'provider', provider,
    'providerPayoutId', provider_payout_id)
  FROM pa
  UNION ALL
  SELECT ${tryId}, t.started_at, 'payout_attempt', NULL, jsonb_build_object('step', 'sent',
    'payoutId', pa.payout_id, 'attempt', pa.attempt_no, 'try', t.try_no,
    'outcome', coalesce(t.outcome, 'UNDER_WAY'), 'reason', t.reason, 'durationMs', t.duration_ms)
  FROM pa JOIN order_call_try AS t ON t.subject_id = pa.id
  UNION ALL
  SELECT id, settled_at, 'payout_attempt', NULL, jsonb_build_object('step', 'ended',
    'payoutId', payout_id, 'attempt', attempt_no, 'outcome', status, 'utr', utr,
    'reason', failure_reason, 'durationMs', ${durationMs(sql`started_at`, sql`settled_at`)})
  FROM pa WHERE settled_at IS NOT NULL
  UNION ALL
  SELECT id, contradicted_at, 'payout_attempt', NULL, jsonb_build_object(
    'step', 'contradicted', 'payoutId', payout_id, 'attempt', attempt_no)
  FROM pa WHERE contradicted_at IS NOT NULL`;

type StoredEntry = OrderTimelineEntry & { readonly id: string };

const toEntry = ({ id, task, status, dueAt, attempts }: FoundJob): StoredEntry => ({
  id,
  at: dueAt,
  kind: 'job',
  actor: null,
  data: { task, status, attempts },
});

const compareEntries = (one: StoredEntry, other: StoredEntry): number =>
  one.at.getTime() - other.at.getTime() ||
  ranks[one.kind] - ranks[other.kind] ||
  (one.id < other.id ? -1 : 1);

/**
 * Ranks queued jobs before scheduled jobs. Their times can't be compared, because the queue uses the
 * database's clock and schedules use the business clock.
 */
const jobRank = ({ status }: FoundJob): number => (status === 'scheduled' ? 1 : 0);

const compareJobs = (one: FoundJob, other: FoundJob): number =>
  jobRank(one) - jobRank(other) || one.dueAt.getTime() - other.dueAt.getTime();

/**
 * Reads the timeline of an order, oldest first. The jobs under `jobKeys` follow at the end, because
 * the queue uses the database's clock, whose times can't be compared with those of the other entries.
 */
export const readOrderTimeline = async (
  db: Db,
  orderId: string,
  jobKeys: readonly string[],
): Promise<OrderTimelineEntry[]> => {
  const [stored, jobs] = await Promise.all([
    selectRows<StoredEntry>(
      db,
      sql`
        WITH ${orderTables(orderId)}
        SELECT entry.id, entry.at, entry.kind, entry.actor, jsonb_strip_nulls(entry.data) AS data
        FROM (${quotes} UNION ALL ${buyVerifies} UNION ALL ${providerCalls}
          UNION ALL ${gatewayCalls} UNION ALL ${webhooks} UNION ALL ${payments}
          UNION ALL ${transitions} UNION ALL ${reservations} UNION ALL ${movements}
          UNION ALL ${payoutAttempts} UNION ALL ${partTransitions}) AS entry`,
    ),
    findJobs(db, jobKeys),
  ]);
  return [...stored.toSorted(compareEntries), ...jobs.toSorted(compareJobs).map(toEntry)];
};
