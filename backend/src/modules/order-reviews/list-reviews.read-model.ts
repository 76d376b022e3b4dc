import { paise, type Paise } from '../../money/index.ts';
import { addMs } from '../../platform/clock/clock.ts';
import {
  joinSql,
  noSql,
  selectOne,
  selectRows,
  sql,
  type Db,
  type Sql,
} from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';

export const reviewKinds = ['BUY', 'SIP_INSTALLMENT', 'SELL', 'DEBIT', 'PAYMENT'] as const;
type ReviewKind = (typeof reviewKinds)[number];

/** An order, a debit or a payment that waits for an operator's decision. */
export interface OpenReview {
  readonly kind: ReviewKind;
  /** The id of the order, of a debit's payment order, or of the payment. */
  readonly id: string;
  readonly orderId: string | null;
  readonly userId: string | null;
  readonly code: string;
  readonly reason: string | null;
  readonly amountPaise: Paise;
  readonly since: Date;
}

interface ReviewFilter {
  readonly kind?: ReviewKind | undefined;
  readonly userId?: string | undefined;
  readonly code?: string | undefined;
}

/** The time in ms after which a debit that is still being requested counts as undecided. */
const undecidedAfterMs = 60 * 60_000;

const orderReviews: Sql = sql`
  SELECT type AS kind, id, id AS order_id, user_id, manual_review_code AS code,
    manual_review_reason AS reason, amount_paise, updated_at AS since
  FROM gold_order
  WHERE manual_review_code IS NOT NULL AND status IN ('MANUAL_REVIEW', 'VERIFIED')`;

const debitReviews = (now: Date): Sql => sql`
  SELECT 'DEBIT', id, order_id, user_id, 'DEBIT_UNDECIDED', NULL, amount_paise, debit_due_at
  FROM payment_order
  WHERE debit_status IN ('INTENDED', 'UNKNOWN') AND status IN ('CREATED', 'GATEWAY_ORDER_CREATED')
    AND debit_due_at < ${addMs(now, -undecidedAfterMs)}::timestamptz`;

const paymentReviews: Sql = sql`
  SELECT 'PAYMENT', id, NULL::uuid, NULL::uuid, 'UNMATCHED', NULL, amount_paise, learned_at
  FROM gateway_payment WHERE status = 'CAPTURED' AND standing = 'UNMATCHED'`;

/** Returns the FROM and WHERE clauses that select the open reviews of a filter. */
const reviewsSql = ({ kind, userId, code }: ReviewFilter, now: Date): Sql => sql`
  FROM (${joinSql([orderReviews, debitReviews(now), paymentReviews], ' UNION ALL ')}) AS review
  WHERE true
    ${kind === undefined ? noSql : sql`AND kind = ${kind}`}
    ${userId === undefined ? noSql : sql`AND user_id = ${userId}::uuid`}
    ${code === undefined ? noSql : sql`AND code = ${code}`}`;

/** Returns a page of the open reviews, oldest first. */
export const listReviews = async (
  db: Db,
  filter: ReviewFilter,
  page: Page & { readonly now: Date },
): Promise<{ readonly rows: readonly OpenReview[]; readonly total: number }> => {
  const from = reviewsSql(filter, page.now);
  const counted = await selectOne<{ total: number }>(
    db,
    sql`SELECT count(*)::int AS total ${from}`,
  );
  const rows = await selectRows<Omit<OpenReview, 'amountPaise'> & { readonly amountPaise: bigint }>(
    db,
    sql`
      SELECT kind, id, order_id AS "orderId", user_id AS "userId", code, reason,
        amount_paise AS "amountPaise", since
      ${from} ORDER BY since, id LIMIT ${page.limit}::int OFFSET ${offsetOf(page)}::int`,
  );
  return {
    rows: rows.map((row) => ({ ...row, amountPaise: paise(row.amountPaise) })),
    total: counted?.total ?? 0,
  };
};
