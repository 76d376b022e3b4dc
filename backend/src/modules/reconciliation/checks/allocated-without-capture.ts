import { sql } from '../../../platform/db/index.ts';
import { findRows } from '../findings.ts';
import type { Check } from '../reconciliation.types.ts';
import { ordersSince } from '../window.ts';

/** Finds ALLOCATED orders of the window without a captured payment. A refunded payment is not one. */
export const allocatedWithoutCapture: Check = {
  id: 'allocated_without_capture',
  title: 'Allocated without a captured payment',
  severity: 'critical',
  run: ({ read, from }) =>
    findRows(
      read,
      sql`
        SELECT o.allocated_at AS since, o.id AS "orderId", o.user_id AS "userId", o.type,
          o.amount_paise AS "amountPaise", trim_scale(o.grams)::text AS grams,
          o.provider_tx_id AS "providerTxId"
        FROM (${ordersSince(from)}) AS recent JOIN gold_order o ON o.id = recent.id
        WHERE o.status = 'ALLOCATED'
          AND NOT EXISTS (
            SELECT FROM payment_order p JOIN gateway_payment g ON g.payment_order_id = p.id
            WHERE p.order_id = o.id AND g.status = 'CAPTURED')`,
    ),
};
