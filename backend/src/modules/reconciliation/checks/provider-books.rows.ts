import { Prisma } from '../../../generated/prisma/client.ts';
import { addMs } from '../../../platform/clock/clock.ts';
import type { CheckContext } from '../reconciliation.types.ts';
import { boughtLessSold, customersSince, ordersSince } from '../window.ts';

/** How long an order may be on its way before the provider's word counts against it. */
const underwayMs = 15 * 60_000;

/** A transaction of the provider that one of our orders speaks of. */
export type TransactionRow = {
  readonly since: Date;
  readonly orderId: string;
  readonly userId: string;
  readonly type: string;
  readonly orderStatus: string;
  readonly manualReviewCode: string | null;
  readonly grams: string | null;
  readonly provider: string;
  readonly providerTxId: string;
  /** The order's own, or of its confirm that was done; false for one that was given up. */
  readonly isOwn: boolean;
  /** By our books: the customer has the gold of a buy, or the gold of a sell is gone. */
  readonly isTraded: boolean;
  /** A confirm that nobody can say the outcome of yet: the janitor goes on asking. */
  readonly isUndecided: boolean;
  readonly isUnderway: boolean;
  readonly total: number;
};

/**
 * The transactions of the window's orders: of those paid for or sold, and every one that a confirm
 * was ever sent for, also when it was given up. A checkout that nobody paid has none to ask about;
 * a transaction of another order is `duplicate_provider_transaction`.
 */
export const listTransactions = ({ read, now, from, limits }: CheckContext) =>
  read<TransactionRow>(Prisma.sql`
    WITH recent AS (${ordersSince(from)}),
    told AS (
      SELECT o.id AS order_id, o.provider, o.provider_tx_id
      FROM recent JOIN gold_order o ON o.id = recent.id
      WHERE o.provider_tx_id IS NOT NULL
        AND (o.type = 'SELL' OR o.paid_at IS NOT NULL OR o.allocated_at IS NOT NULL)
      UNION
      SELECT c.order_id, c.provider, c.provider_tx_id
      FROM recent JOIN provider_operation c ON c.order_id = recent.id
      WHERE c.operation IN ('buy-confirm', 'sell-confirm')
        AND NOT EXISTS (
          SELECT FROM gold_order other
          WHERE other.provider = c.provider AND other.provider_tx_id = c.provider_tx_id
            AND other.id <> c.order_id))
    SELECT o.created_at AS since, o.id AS "orderId", o.user_id AS "userId", o.type,
      o.status AS "orderStatus", o.manual_review_code AS "manualReviewCode",
      trim_scale(o.grams)::text AS grams, told.provider, told.provider_tx_id AS "providerTxId",
      (o.provider, o.provider_tx_id) IS NOT DISTINCT FROM (told.provider, told.provider_tx_id)
        OR EXISTS (
          SELECT FROM provider_operation c
          WHERE c.order_id = o.id AND c.provider_tx_id = told.provider_tx_id
            AND c.operation IN ('buy-confirm', 'sell-confirm') AND c.status = 'DONE') AS "isOwn",
      CASE o.type WHEN 'SELL' THEN o.status IN ('CONFIRMED', 'COMPLETED')
        ELSE o.allocated_at IS NOT NULL END AS "isTraded",
      EXISTS (
        SELECT FROM provider_operation c
        WHERE c.order_id = o.id AND c.provider_tx_id = told.provider_tx_id
          AND c.status IN ('INTENDED', 'UNKNOWN')) AS "isUndecided",
      o.updated_at > ${addMs(now, -underwayMs)}::timestamptz
        AND o.status IN ('PENDING', 'PAID', 'RETRY_PENDING', 'VERIFIED') AS "isUnderway",
      (count(*) OVER ())::int AS total
    FROM told JOIN gold_order o ON o.id = told.order_id
    ORDER BY o.created_at DESC, o.id DESC, told.provider_tx_id
    LIMIT ${limits.most}::int`);

/** What a customer should have at the provider by our orders, as decimal text in grams. */
export type BalanceRow = {
  readonly since: Date;
  readonly userId: string;
  readonly providerUserId: string;
  readonly expected: string;
  /** What may or may not be there yet: buys and sells whose outcome is open. */
  readonly openBuys: string;
  readonly openSells: string;
  readonly total: number;
};

/**
 * The window's customers who ever had gold bought or sold. Given up gold (FORFEITED) stays on the
 * customer's account at the provider. One with a buy of other grams than ordered is left to
 * whoever reviews it.
 */
export const listBalances = ({ read, from, limits }: CheckContext) =>
  read<BalanceRow>(Prisma.sql`
    SELECT u.created_at AS since, u.id AS "userId", u.provider_user_id AS "providerUserId",
      (traded.grams - given_up.grams)::text AS expected, traded.open_buys::text AS "openBuys",
      traded.open_sells::text AS "openSells", (count(*) OVER ())::int AS total
    FROM (${customersSince(from)}) AS recent JOIN app_user u ON u.id = recent.id
    CROSS JOIN LATERAL (
      SELECT ${boughtLessSold} AS grams,
        coalesce(sum(o.grams) FILTER (WHERE o.type <> 'SELL' AND o.allocated_at IS NULL AND (
          o.status IN ('PAID', 'RETRY_PENDING') OR undecided.found)), 0) AS open_buys,
        coalesce(sum(o.grams) FILTER (WHERE o.type = 'SELL' AND o.status = 'VERIFIED'), 0)
          AS open_sells,
        coalesce(bool_or(o.status = 'MANUAL_REVIEW'
          AND o.manual_review_code = 'GRAMS_MISMATCH'), false) AS is_unclear,
        count(*) FILTER (WHERE o.paid_at IS NOT NULL OR o.allocated_at IS NOT NULL
          OR o.type = 'SELL') AS trades
      FROM gold_order o
      CROSS JOIN LATERAL (
        SELECT EXISTS (
          SELECT FROM provider_operation c
          WHERE c.order_id = o.id AND c.status IN ('INTENDED', 'UNKNOWN')) AS found) AS undecided
      WHERE o.user_id = u.id) AS traded
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(m.grams), 0) AS grams FROM holding_movement m
      WHERE m.user_id = u.id AND m.kind = 'FORFEITED') AS given_up
    WHERE u.provider_user_id IS NOT NULL AND traded.trades > 0 AND NOT traded.is_unclear
    ORDER BY u.id
    LIMIT ${limits.most}::int`);
