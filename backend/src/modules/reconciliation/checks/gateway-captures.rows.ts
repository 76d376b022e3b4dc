import type { GatewayPayment } from '../../../adapters/payment-gateway/port.ts';
import { Prisma } from '../../../generated/prisma/client.ts';
import { findRows } from '../find-rows.ts';
import type { Findings, Read } from '../reconciliation.types.ts';

export interface PaymentOrderRow {
  readonly paymentOrderId: string;
  readonly orderId: string;
  readonly userId: string;
  readonly gateway: string;
  readonly gatewayOrderId: string | null;
  readonly paymentOrderStatus: string;
  readonly total: number;
}

export type Capture = PaymentOrderRow & { readonly payment: GatewayPayment };

/** Signed captures of orders that nobody here knows. Those that still wait: of any age. */
export const findStrays = (read: Read, from: Date): Promise<Findings> =>
  findRows(
    read,
    Prisma.sql`
      SELECT g.learned_at AS since, g.gateway, g.gateway_payment_id AS "gatewayPaymentId",
        g.gateway_order_id AS "gatewayOrderId", g.amount_paise AS "amountPaise", g.currency,
        g.standing
      FROM (
        SELECT w.gateway, w.gateway_payment_id FROM webhook_event w
        WHERE w.status = 'UNMATCHED'
          AND w.source = 'payment' AND w.gateway_payment_id IS NOT NULL
        UNION
        SELECT r.gateway, r.gateway_payment_id FROM gateway_payment r
        WHERE r.learned_at >= ${from}::timestamptz) AS told
      JOIN gateway_payment g USING (gateway, gateway_payment_id)
      WHERE g.status = 'CAPTURED' AND g.standing = 'UNMATCHED'
        AND NOT EXISTS (
          SELECT FROM payment_order p
          WHERE p.gateway = g.gateway AND p.gateway_order_id = g.gateway_order_id)`,
  );

/** The window's payment orders, those first for which we have no capture. */
export const listPaymentOrders = (read: Read, from: Date, most: number) =>
  read<PaymentOrderRow>(Prisma.sql`
    SELECT p.id AS "paymentOrderId", p.order_id AS "orderId", p.user_id AS "userId", p.gateway,
      p.gateway_order_id AS "gatewayOrderId", p.status AS "paymentOrderStatus",
      (count(*) OVER ())::int AS total
    FROM payment_order p
    WHERE p.created_at >= ${from}::timestamptz
    ORDER BY p.captured_payment_id IS NOT NULL, p.created_at DESC, p.id DESC
    LIMIT ${most}::int`);

/** Those that are not booked here, read after the gateway's answer: and no event of it waits. */
export const lacking = async (read: Read, captures: readonly Capture[]): Promise<Capture[]> => {
  if (captures.length === 0) return [];
  const rows = await read<{ n: number }>(Prisma.sql`
    SELECT told.n::int AS n
    FROM unnest(${captures.map(({ gateway }) => gateway)}::text[],
      ${captures.map(({ payment }) => payment.gatewayPaymentId)}::text[],
      ${captures.map(({ payment }) => payment.gatewayOrderId)}::text[])
      WITH ORDINALITY AS told (gateway, payment_id, gateway_order_id, n)
    WHERE NOT EXISTS (
        SELECT FROM gateway_payment g
        WHERE g.gateway = told.gateway AND g.gateway_payment_id = told.payment_id
          AND g.status IN ('CAPTURED', 'REFUNDED')
          AND (g.standing <> 'UNMATCHED' OR NOT EXISTS (
            SELECT FROM payment_order p
            WHERE p.gateway = g.gateway AND p.gateway_order_id = g.gateway_order_id)))
      AND NOT EXISTS (
        SELECT FROM webhook_event w
        WHERE w.source = 'payment' AND w.gateway = told.gateway
          AND w.subject = told.gateway_order_id AND w.gateway_payment_id = told.payment_id
          AND w.status IN ('PENDING', 'UNMATCHED'))
    ORDER BY told.n`);
  return rows.flatMap(({ n }) => captures[n - 1] ?? []);
};
