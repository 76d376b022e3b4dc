import { sql } from '../../../../platform/db/index.ts';
import type { GatewayPayment } from '../../../../adapters/payment-gateway/port.ts';
import { toSafePaise, type Paise } from '../../../../money/index.ts';
import { findRows, toSample } from '../../findings.ts';
import type { CheckContext, Findings, Read, Row, Sample } from '../../reconciliation.types.ts';
import type { RowsRequest } from '../../walk-rows.ts';

/** A payment order at one of the gateways that were tried for it. */
export interface PaymentOrderRow {
  readonly paymentOrderId: string;
  readonly orderId: string;
  readonly userId: string;
  readonly gateway: string;
  readonly gatewayOrderId: string | null;
  readonly paymentOrderStatus: string;
}

/** A reversal of a payment that the gateway lists as final. */
export interface GatewayReversal {
  readonly gateway: string;
  readonly gatewayPaymentId: string;
  readonly kind: 'REFUND' | 'DISPUTE';
  readonly reference: string;
  readonly amountPaise: Paise;
  readonly occurredAt: Date;
}

/** A capture as its gateway lists it. */
export interface Capture {
  readonly gateway: string;
  readonly payment: GatewayPayment;
}

/**
 * Finds captures of unknown orders that a signed event reported. A capture whose event still waits
 * is found at any age. Any other capture is found if it became known in the window.
 */
export const findUnknownCaptures = (read: Read, from: Date): Promise<Findings> =>
  findRows(
    read,
    sql`
      SELECT g.learned_at AS since, g.gateway, g.gateway_payment_id AS "gatewayPaymentId",
        g.gateway_order_id AS "gatewayOrderId", g.amount_paise AS "amountPaise", g.currency,
        g.standing
      FROM (
        SELECT w.gateway, w.gateway_payment_id FROM webhook_event w
        WHERE w.status = 'UNMATCHED'
          AND w.source = 'payment' AND w.gateway_payment_id IS NOT NULL
        UNION
        SELECT r.gateway, r.gateway_payment_id FROM gateway_payment r
        WHERE r.learned_at >= ${from}::timestamptz) AS candidate
      JOIN gateway_payment g USING (gateway, gateway_payment_id)
      WHERE g.status = 'CAPTURED' AND g.standing = 'UNMATCHED'
        AND NOT EXISTS (
          SELECT FROM payment_order p
          WHERE p.gateway = g.gateway AND p.gateway_order_id = g.gateway_order_id)
        AND NOT EXISTS (
          SELECT FROM gateway_attempt a
          WHERE a.gateway = g.gateway AND a.gateway_order_id = g.gateway_order_id)`,
  );

/** Returns the gateways that ever had an order of this service. */
export const findUsedGateways = async (
  read: Read,
  codes: readonly string[],
): Promise<readonly string[]> => {
  const rows = await read<{ code: string }>(sql`
    SELECT given.code FROM unnest(${[...codes]}::text[]) AS given (code)
    CROSS JOIN LATERAL (
      (SELECT 1 FROM payment_order p WHERE p.gateway = given.code
       ORDER BY p.gateway, p.gateway_order_id LIMIT 1)
      UNION
      (SELECT 1 FROM gateway_attempt a WHERE a.gateway = given.code
       ORDER BY a.gateway, a.gateway_order_id LIMIT 1)) AS found`);
  return rows.map(({ code }) => code);
};

const keyOfOrder = sql`p.id || ' ' || m.gateway || ' ' || coalesce(m.gateway_order_id, '')`;

/** Returns the key by which `listPaymentOrders` sorts. */
export const keyOfPaymentOrder = (row: PaymentOrderRow): string =>
  `${row.paymentOrderId} ${row.gateway} ${row.gatewayOrderId ?? ''}`;

/**
 * Lists the payment orders that no gateway's list of the window covers. These are the window's
 * payment orders at gateways without such a list, and payment orders that were created before the
 * window and failed or expired in it. A payment order has a row for its own gateway, and a row for
 * each other gateway that was tried and may have created an order too.
 */
export const listPaymentOrders = (
  { read, from }: CheckContext,
  listed: readonly string[],
  { after, upTo, limit }: RowsRequest,
) =>
  read<PaymentOrderRow>(sql`
    SELECT p.id AS "paymentOrderId", p.order_id AS "orderId", p.user_id AS "userId", m.gateway,
      m.gateway_order_id AS "gatewayOrderId", p.status AS "paymentOrderStatus"
    FROM (
      SELECT c.id, true AS "isRecent" FROM payment_order c
      WHERE c.created_at >= ${from}::timestamptz
      UNION ALL
      -- A payment order that failed or expired in the window may have been paid since, at any age.
      SELECT g.id, false FROM payment_order g
      WHERE g.status IN ('FAILED', 'EXPIRED') AND g.updated_at >= ${from}::timestamptz
        AND g.created_at < ${from}::timestamptz) AS recent
    JOIN payment_order p ON p.id = recent.id
    CROSS JOIN LATERAL (
      SELECT p.gateway, p.gateway_order_id
      UNION
      SELECT a.gateway, a.gateway_order_id FROM gateway_attempt a
      WHERE a.payment_order_id = p.id AND a.status <> 'REFUSED'
        AND (a.gateway <> p.gateway OR a.gateway_order_id <> p.gateway_order_id)) AS m
    WHERE (NOT recent."isRecent" OR m.gateway <> ALL (${[...listed]}::text[]))
      AND ${keyOfOrder} > ${after}
      AND (${upTo ?? null}::text IS NULL OR ${keyOfOrder} <= ${upTo ?? null}::text)
    ORDER BY ${keyOfOrder}
    LIMIT ${limit}::int`);

/** Finds the payment orders of gateway orders, by the gateway order's id. */
export const findOwners = async (
  read: Read,
  gateway: string,
  gatewayOrderIds: readonly string[],
): Promise<ReadonlyMap<string, PaymentOrderRow>> => {
  const rows = await read<PaymentOrderRow & { gatewayOrderId: string }>(sql`
    SELECT p.id AS "paymentOrderId", p.order_id AS "orderId", p.user_id AS "userId",
      ${gateway}::text AS gateway, known.gateway_order_id AS "gatewayOrderId",
      p.status AS "paymentOrderStatus"
    FROM (
      SELECT o.id AS payment_order_id, o.gateway_order_id FROM payment_order o
      WHERE o.gateway = ${gateway} AND o.gateway_order_id = ANY (${[...gatewayOrderIds]}::text[])
      UNION
      SELECT a.payment_order_id, a.gateway_order_id FROM gateway_attempt a
      WHERE a.gateway = ${gateway} AND a.gateway_order_id = ANY (${[...gatewayOrderIds]}::text[])
    ) AS known
    JOIN payment_order p ON p.id = known.payment_order_id`);
  return new Map(rows.map((row) => [row.gatewayOrderId, row]));
};

/** Finds payment orders by their ids, which are the receipts of gateway orders. */
export const findByReceipts = async (
  read: Read,
  receipts: readonly string[],
): Promise<ReadonlyMap<string, PaymentOrderRow>> => {
  const rows = await read<PaymentOrderRow>(sql`
    SELECT p.id AS "paymentOrderId", p.order_id AS "orderId", p.user_id AS "userId", p.gateway,
      p.gateway_order_id AS "gatewayOrderId", p.status AS "paymentOrderStatus"
    FROM payment_order p WHERE p.id = ANY (${[...receipts]}::uuid[])`);
  return new Map(rows.map((row) => [row.paymentOrderId, row]));
};

/**
 * Returns the captures that are not booked here and have no waiting event. Our rows are read after
 * the gateway's response, so a capture that was booked meanwhile is not a finding.
 */
export const findUnbooked = async <C extends Capture>(
  read: Read,
  captures: readonly C[],
): Promise<C[]> => {
  if (captures.length === 0) return [];
  const rows = await read<{ n: number }>(sql`
    SELECT fetched.n::int AS n
    FROM unnest(${captures.map(({ gateway }) => gateway)}::text[],
      ${captures.map(({ payment }) => payment.gatewayPaymentId)}::text[],
      ${captures.map(({ payment }) => payment.gatewayOrderId)}::text[])
      WITH ORDINALITY AS fetched (gateway, payment_id, gateway_order_id, n)
    WHERE NOT EXISTS (
        SELECT FROM gateway_payment g
        WHERE g.gateway = fetched.gateway AND g.gateway_payment_id = fetched.payment_id
          AND g.status IN ('CAPTURED', 'REFUNDED')
          AND (g.standing <> 'UNMATCHED' OR NOT EXISTS (
            SELECT FROM payment_order p
            WHERE p.gateway = g.gateway AND p.gateway_order_id = g.gateway_order_id
            UNION ALL
            SELECT FROM gateway_attempt a
            WHERE a.gateway = g.gateway AND a.gateway_order_id = g.gateway_order_id)))
      AND NOT EXISTS (
        SELECT FROM webhook_event w
        WHERE w.source = 'payment' AND w.gateway = fetched.gateway
          AND w.subject = fetched.gateway_order_id AND w.gateway_payment_id = fetched.payment_id
          AND w.status IN ('PENDING', 'UNMATCHED'))
    ORDER BY fetched.n`);
  return rows.flatMap(({ n }) => captures[n - 1] ?? []);
};

/**
 * Returns a sample of each reversal that is of a booked capture, is not recorded and has no waiting
 * event. A refund that a resolution recorded without a reference counts as recorded. Our rows are
 * read after the gateway's response.
 */
export const findUnrecorded = async (
  read: Read,
  reversals: readonly GatewayReversal[],
): Promise<Sample[]> => {
  if (reversals.length === 0) return [];
  const rows = await read<Row>(sql`
    SELECT fetched.occurred_at AS since, p.id AS "paymentOrderId", p.order_id AS "orderId",
      p.user_id AS "userId", g.gateway, p.status AS "paymentOrderStatus",
      g.gateway_order_id AS "gatewayOrderId", g.gateway_payment_id AS "gatewayPaymentId",
      fetched.amount_paise AS "amountPaise", g.amount_paise AS "capturedPaise", g.currency,
      fetched.kind, fetched.reference
    FROM unnest(${reversals.map(({ gateway }) => gateway)}::text[],
      ${reversals.map(({ gatewayPaymentId }) => gatewayPaymentId)}::text[],
      ${reversals.map(({ kind }) => kind)}::text[],
      ${reversals.map(({ reference }) => reference)}::text[],
      ${reversals.map(({ amountPaise }) => amountPaise)}::bigint[],
      ${reversals.map(({ occurredAt }) => occurredAt)}::timestamptz[])
      WITH ORDINALITY AS fetched (gateway, payment_id, kind, reference, amount_paise, occurred_at, n)
    JOIN gateway_payment g
      ON g.gateway = fetched.gateway AND g.gateway_payment_id = fetched.payment_id
    LEFT JOIN payment_order p ON p.id = g.payment_order_id
    WHERE (g.status = 'CAPTURED' OR (g.status = 'REFUNDED' AND fetched.kind = 'DISPUTE'))
      AND g.standing <> 'UNMATCHED'
      AND NOT EXISTS (
        SELECT FROM payment_reversal r
        WHERE r.gateway = fetched.gateway AND r.gateway_payment_id = fetched.payment_id
          AND r.kind = fetched.kind AND (r.reference = fetched.reference
            OR (r.reference IS NULL AND r.amount_paise = fetched.amount_paise)))
      AND NOT EXISTS (
        SELECT FROM webhook_event w
        WHERE w.source = 'payment' AND w.gateway = fetched.gateway
          AND w.gateway_payment_id = fetched.payment_id AND w.status IN ('PENDING', 'UNMATCHED'))
    ORDER BY fetched.n`);
  return rows.map(toSample);
};

/** Converts an unbooked capture to a sample, with its payment order if that is known. */
export const toCaptureSample = (
  { gateway, payment }: Capture,
  owner: PaymentOrderRow | undefined,
): Sample => ({
  since: payment.createdAt.toISOString(),
  paymentOrderId: owner?.paymentOrderId ?? null,
  orderId: owner?.orderId ?? null,
  userId: owner?.userId ?? null,
  gateway,
  paymentOrderStatus: owner?.paymentOrderStatus ?? null,
  gatewayOrderId: payment.gatewayOrderId,
  gatewayPaymentId: payment.gatewayPaymentId,
  amountPaise: toSafePaise(payment.amountPaise),
  currency: payment.currency,
});
