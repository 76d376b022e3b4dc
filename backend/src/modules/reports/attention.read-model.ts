import { addMs } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';
import { joinSql, selectRows, sql, type Db, type Sql } from '../../platform/db/index.ts';
import { dueSoonDays } from '../support/index.ts';

/** A kind of work that waits for an operator. */
export interface Attention {
  readonly kind: keyof typeof links;
  readonly count: number;
  readonly oldestAt: Date;
}

/** The path and query of each kind's list in the admin API. */
const links = {
  payout_failed: '/payouts?status=FAILED',
  payout_reversed: '/payouts?status=REVERSED',
  buy_review: '/reviews?kind=BUY',
  installment_review: '/reviews?kind=SIP_INSTALLMENT',
  sale_review: '/reviews?kind=SELL',
  debit_undecided: '/reviews?kind=DEBIT',
  payment_unmatched: '/payments?state=UNMATCHED',
  job_dead: '/jobs?status=dead',
  ticket_open: '/support/tickets?status=OPEN',
  ticket_due: '/support/tickets?due=soon',
  ticket_overdue: '/support/tickets?due=overdue',
  kyc_submitted: '/kyc?status=SUBMITTED',
  evidence_ending: '/readiness',
  proof_refused: '/proof-of-gold/runs',
  approval_pending: '/approvals?status=PENDING',
} as const;

export const attentionKinds = Object.keys(links) as readonly Attention['kind'][]; // its own keys

/** Returns the path and query of the list that has the work of a kind. */
export const linkOf = (kind: Attention['kind']): string => links[kind];

const underReview = sql`
  gold_order WHERE manual_review_code IS NOT NULL AND status IN ('MANUAL_REVIEW', 'VERIFIED')`;

const isOpenTicket = sql`status IN ('OPEN', 'IN_PROGRESS')`;

/** Selects the rows of each kind, with the time since which each row waits. */
const sources = (now: Date): Readonly<Record<Attention['kind'], Sql>> => ({
  payout_failed: sql`updated_at AS since FROM payout WHERE status = 'FAILED'`,
  payout_reversed: sql`updated_at AS since FROM payout WHERE status = 'REVERSED'`,
  buy_review: sql`updated_at AS since FROM ${underReview} AND type = 'BUY'`,
  installment_review: sql`updated_at AS since FROM ${underReview} AND type = 'SIP_INSTALLMENT'`,
  sale_review: sql`updated_at AS since FROM ${underReview} AND type = 'SELL'`,
  // As in the list of reviews, a debit counts if it was due an hour ago and has no known outcome.
  debit_undecided: sql`debit_due_at AS since FROM payment_order
    WHERE debit_status IN ('INTENDED', 'UNKNOWN')
      AND status IN ('CREATED', 'GATEWAY_ORDER_CREATED')
      AND debit_due_at < ${addMs(now, -60 * 60_000)}::timestamptz`,
  payment_unmatched: sql`learned_at AS since FROM gateway_payment
    WHERE status = 'CAPTURED' AND standing = 'UNMATCHED'`,
  job_dead: sql`updated_at AS since FROM dead_letter_job`,
  ticket_open: sql`created_at AS since FROM support_ticket WHERE status = 'OPEN'`,
  ticket_due: sql`due_at AS since FROM support_ticket WHERE ${isOpenTicket}
    AND due_at > ${now}::timestamptz
    AND due_at <= ${addMs(now, dueSoonDays * 24 * 60 * 60_000)}::timestamptz`,
  ticket_overdue: sql`due_at AS since FROM support_ticket WHERE ${isOpenTicket}
    AND due_at <= ${now}::timestamptz`,
  kyc_submitted: sql`submitted_at AS since FROM kyc_record WHERE status = 'SUBMITTED'`,
  // As in the readiness report, evidence counts if it ends within 30 days or has ended.
  evidence_ending: sql`(expires_on - 30)::timestamptz AS since FROM readiness_evidence
    WHERE expires_on < ${istDate(addMs(now, 30 * 24 * 60 * 60_000))}::date`,
  // A failed run counts until a later run was published.
  proof_refused: sql`finished_at AS since FROM proof_run r
    WHERE r.status IN ('REFUSED', 'FAILED') AND NOT EXISTS (
      SELECT FROM proof_run p WHERE p.status = 'PUBLISHED' AND p.number > r.number)`,
  approval_pending: sql`requested_at AS since FROM approval_request
    WHERE api = 'admin' AND status = 'PENDING' AND expires_at > ${now}::timestamptz`,
});

/** Returns the kinds of work that wait now, with their numbers and their oldest times. */
export const readAttention = (db: Db, now: Date): Promise<Attention[]> => {
  const from = sources(now);
  const counts = attentionKinds.map(
    (kind, index) => sql`
      SELECT ${index}::int AS place, ${kind}::text AS kind, count(*)::int AS count,
        min(since) AS "oldestAt"
      FROM (SELECT ${from[kind]}) AS open`,
  );
  return selectRows<Attention>(
    db,
    sql`SELECT kind, count, "oldestAt" FROM (${joinSql(counts, ' UNION ALL ')}) AS counted
      WHERE count > 0 ORDER BY place`,
  );
};
