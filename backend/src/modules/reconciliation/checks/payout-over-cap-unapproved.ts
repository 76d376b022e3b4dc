import { sql } from '../../../platform/db/index.ts';
import { findRows } from '../findings.ts';
import type { Check } from '../reconciliation.types.ts';
import { payoutsSince } from '../window.ts';

/**
 * The payout cap, INR 100,000. This is a copy, so that a wrong cap in the payouts module does not
 * also change this check.
 */
const capPaise = 10_000_000n;

/**
 * Finds payouts of the window above the cap that were sent without the approval of a SUPER_ADMIN.
 * The approval counts if the operator is a SUPER_ADMIN now, or was a SUPER_ADMIN by the audit row of
 * the approval.
 */
export const payoutOverCapUnapproved: Check = {
  id: 'payout_over_cap_unapproved',
  title: 'A payout above INR 100,000 that no super admin approved',
  severity: 'critical',
  run: ({ read, from }) =>
    findRows(
      read,
      sql`
        SELECT p.created_at AS since, p.id AS "payoutId", p.order_id AS "orderId",
          p.user_id AS "userId", p.status AS "payoutStatus", p.amount_paise AS "amountPaise",
          p.attempt, p.approved_by AS "approvedBy", approver.role AS "approverRole"
        FROM (${payoutsSince(from)}) AS recent JOIN payout p ON p.id = recent.id
        LEFT JOIN admin_user approver ON approver.id = p.approved_by
        WHERE p.amount_paise > ${capPaise}::bigint
          AND (p.status IN ('PROCESSING', 'PAID', 'REVERSED')
            OR EXISTS (SELECT FROM payout_attempt a WHERE a.payout_id = p.id))
          AND approver.role IS DISTINCT FROM 'SUPER_ADMIN'
          AND NOT EXISTS (
            SELECT FROM audit_log l
            WHERE l.target_type = 'payout' AND l.target_id = p.id::text
              AND l.actor_id = p.approved_by AND l.actor_role = 'SUPER_ADMIN'
              AND l.outcome = 'DONE')`,
    ),
};
