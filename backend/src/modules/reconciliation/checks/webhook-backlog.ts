import { addMs } from '../../../platform/clock/clock.ts';
import { sql } from '../../../platform/db/index.ts';
import { findRows } from '../findings.ts';
import type { Check } from '../reconciliation.types.ts';

const graceMs = 5 * 60_000;

/**
 * Finds events of any age that were accepted over 5 min ago, concern a known row, and have not been
 * applied. A PENDING event, such as an event whose effect failed, counts even if its row is unknown.
 * An UNMATCHED event counts once its row is known. A capture for an order that stays unknown is
 * reported by `gateway_capture_missing`.
 */
export const webhookBacklog: Check = {
  id: 'webhook_backlog',
  title: 'Webhooks that match something and are not applied after 5 minutes',
  severity: 'high',
  run: ({ read, now }) =>
    findRows(
      read,
      sql`
        SELECT e.received_at AS since, e.id AS "eventId", e.source, e.gateway,
          e.event_type AS "eventType", e.subject, e.gateway_payment_id AS "gatewayPaymentId",
          e.status AS "eventStatus", e.attempts, e.last_error AS "lastError"
        FROM webhook_event e
        WHERE e.received_at < ${addMs(now, -graceMs)}::timestamptz
          AND e.status IN ('PENDING', 'UNMATCHED')
          AND (e.status = 'PENDING' OR CASE e.source
            WHEN 'payment' THEN EXISTS (
              SELECT FROM payment_order p
              WHERE p.gateway = e.gateway AND p.gateway_order_id = e.subject)
              OR EXISTS (
                SELECT FROM gateway_attempt t
                WHERE t.gateway = e.gateway AND t.gateway_order_id = e.subject)
              OR EXISTS (
                SELECT FROM gateway_payment g
                WHERE g.gateway = e.gateway AND g.gateway_payment_id = e.gateway_payment_id
                  AND g.payment_order_id IS NOT NULL)
            WHEN 'payout' THEN EXISTS (
              SELECT FROM payout_attempt a
              WHERE a.provider = e.gateway AND a.provider_payout_id = e.subject)
              OR EXISTS (
                SELECT FROM bank_account b
                WHERE b.provider = e.gateway AND b.provider_validation_id = e.subject)
            ELSE false END)`,
    ),
};
