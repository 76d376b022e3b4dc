import { paise, type Paise } from '../../money/index.ts';
import { noSql, selectOne, selectRows, sql, type Db, type Sql } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';

export const openPaymentStates = ['REVIEW', 'UNMATCHED'] as const;

/** A captured payment that needs a decision by an operator. */
export interface OpenPayment {
  readonly id: string;
  readonly gateway: string;
  readonly gatewayPaymentId: string;
  readonly gatewayOrderId: string | null;
  readonly paymentOrderId: string | null;
  readonly orderId: string | null;
  readonly userId: string | null;
  readonly standing: string;
  readonly amountPaise: Paise;
  readonly currency: string;
  readonly method: string | null;
  readonly orderStatus: string | null;
  readonly reviewCode: string | null;
  readonly reviewReason: string | null;
  readonly hasGold: boolean;
  /** True if the customer is not deleted and the order's gold was not recovered. */
  readonly canHoldGold: boolean;
  readonly hasFailed: boolean;
  readonly reversedPaise: Paise;
  /** The id of the payment's newest event that can be replayed, or null. */
  readonly waitingEventId: string | null;
  readonly learnedAt: Date;
}

interface OpenPaymentFilter {
  readonly id?: string | undefined;
  readonly state?: (typeof openPaymentStates)[number] | undefined;
  readonly gateway?: string | undefined;
}

/** Selects captured payments whose order is under review, or that are not applied to an order. */
const candidates: Sql = sql`
  SELECT g.id FROM gold_order AS o
  JOIN payment_order AS p ON p.order_id = o.id
  JOIN gateway_payment AS g ON g.payment_order_id = p.id AND g.status = 'CAPTURED'
  WHERE o.status = 'MANUAL_REVIEW'
  UNION
  SELECT id FROM gateway_payment
  WHERE status = 'CAPTURED' AND standing IN ('SECOND', 'MISMATCH', 'LATE', 'UNMATCHED')`;

const fromMatching = ({ id, state, gateway }: OpenPaymentFilter): Sql => sql`
  FROM gateway_payment AS g JOIN (${candidates}) AS candidate ON candidate.id = g.id
  WHERE true
    ${id === undefined ? noSql : sql`AND g.id = ${id}::uuid`}
    ${gateway === undefined ? noSql : sql`AND g.gateway = ${gateway}`}
    ${state === undefined ? noSql : sql`AND (g.standing = 'UNMATCHED') = ${state === 'UNMATCHED'}`}`;

type Row = Omit<OpenPayment, 'amountPaise' | 'reversedPaise'> & {
  readonly amountPaise: bigint;
  readonly reversedPaise: bigint;
};

const pageSql = (filter: OpenPaymentFilter, { offset, limit }: { offset: number; limit: number }) =>
  sql`
    SELECT g.id, g.gateway, g.gateway_payment_id AS "gatewayPaymentId",
      g.gateway_order_id AS "gatewayOrderId", g.payment_order_id AS "paymentOrderId",
      p.order_id AS "orderId", p.user_id AS "userId", g.standing, g.amount_paise AS "amountPaise",
      g.currency, g.method, o.status AS "orderStatus", o.manual_review_code AS "reviewCode",
      o.manual_review_reason AS "reviewReason",
      coalesce(o.allocated_at IS NOT NULL AND o.recovered_at IS NULL, false) AS "hasGold",
      coalesce(o.recovered_at IS NULL AND u.deleted_at IS NULL, false) AS "canHoldGold",
      g.failed_after_capture_at IS NOT NULL AND g.failure_resolved_at IS NULL AS "hasFailed",
      coalesce((SELECT sum(r.amount_paise) FROM payment_reversal AS r
        WHERE r.gateway = g.gateway AND r.gateway_payment_id = g.gateway_payment_id), 0)::bigint
        AS "reversedPaise",
      (SELECT w.id FROM webhook_event AS w
        WHERE w.source = 'payment' AND w.gateway = g.gateway
          AND w.gateway_payment_id = g.gateway_payment_id
          AND w.status IN ('PENDING', 'UNMATCHED') AND w.sealed_body IS NOT NULL
        ORDER BY w.received_at DESC LIMIT 1) AS "waitingEventId",
      g.learned_at AS "learnedAt"
    FROM (SELECT g.* ${fromMatching(filter)}
      ORDER BY g.learned_at, g.id LIMIT ${limit}::int OFFSET ${offset}::int) AS g
    LEFT JOIN payment_order AS p ON p.id = g.payment_order_id
    LEFT JOIN gold_order AS o ON o.id = p.order_id
    LEFT JOIN app_user AS u ON u.id = p.user_id
    ORDER BY g.learned_at, g.id`;

const toOpenPayment = (row: Row): OpenPayment => ({
  ...row,
  amountPaise: paise(row.amountPaise),
  reversedPaise: paise(row.reversedPaise),
});

/** Returns a page of open payments, oldest first, and the number of matching payments. */
export const listOpenPayments = async (
  db: Db,
  filter: OpenPaymentFilter,
  page: Page,
): Promise<{ readonly rows: readonly OpenPayment[]; readonly total: number }> => {
  const slice = { offset: offsetOf(page), limit: page.limit };
  const [rows, countRow] = await Promise.all([
    selectRows<Row>(db, pageSql(filter, slice)),
    selectOne<{ total: number }>(db, sql`SELECT count(*)::int AS total ${fromMatching(filter)}`),
  ]);
  return { rows: rows.map(toOpenPayment), total: countRow?.total ?? 0 };
};

/** Returns an open payment, or undefined if the payment needs no decision. */
export const findOpenPayment = async (db: Db, id: string): Promise<OpenPayment | undefined> => {
  const row = await selectOne<Row>(db, pageSql({ id }, { offset: 0, limit: 1 }));
  return row === undefined ? undefined : toOpenPayment(row);
};
