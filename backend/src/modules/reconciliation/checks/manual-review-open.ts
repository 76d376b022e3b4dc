import { sql } from '../../../platform/db/index.ts';
import { findRows } from '../findings.ts';
import type { Check } from '../reconciliation.types.ts';

/**
 * Finds orders of any age that wait for an operator. These are purchases in MANUAL_REVIEW, and
 * VERIFIED sales with the code of a review.
 */
export const manualReviewOpen: Check = {
  id: 'manual_review_open',
  title: 'Orders under manual review',
  severity: 'medium',
  run: ({ read }) =>
    findRows(
      read,
      sql`
        SELECT o.updated_at AS since, o.id AS "orderId", o.user_id AS "userId", o.type,
          o.status AS "orderStatus", o.manual_review_code AS "manualReviewCode",
          o.amount_paise AS "amountPaise", trim_scale(o.grams)::text AS grams,
          o.provider_tx_id AS "providerTxId"
        FROM gold_order o
        WHERE o.manual_review_code IS NOT NULL AND o.status IN ('MANUAL_REVIEW', 'VERIFIED')`,
    ),
};
