import type { Db } from '../../platform/db/index.ts';
import {
  paymentOrderColumns,
  toPaymentOrder,
  type PaymentOrderRow,
} from './payment-order.store.ts';

/** How a payment order gets its gateway order. */
export const createGatewayOpeningStore = (db: Db) => ({
  /**
   * Says that the gateway is about to be asked to open an order. Answers the row and whether
   * somebody said so before; undefined when it is no longer CREATED.
   */
  async claimOpening(id: string, at: Date) {
    const rows = await db.$queryRaw<(PaymentOrderRow & { openedBefore: boolean })[]>`
      WITH before AS (SELECT id, last_asked_at FROM payment_order WHERE id = ${id}::uuid)
      UPDATE payment_order p SET last_asked_at = ${at}::timestamptz
      FROM before WHERE p.id = before.id AND p.status = 'CREATED'
      RETURNING ${paymentOrderColumns}, before.last_asked_at IS NOT NULL AS "openedBefore"`;
    const [row] = rows;
    if (row === undefined) return undefined;
    const { openedBefore, ...rest } = row;
    return { paymentOrder: toPaymentOrder(rest), openedBefore };
  },

  /**
   * Keeps the gateway's order id, once. A row that closed meanwhile keeps its state: a payment
   * of that gateway order must still find it. Undefined when it has an id already.
   */
  async storeGatewayOrder(id: string, gatewayOrderId: string, at: Date) {
    const rows = await db.$queryRaw<PaymentOrderRow[]>`
      UPDATE payment_order p SET
        gateway_order_id = ${gatewayOrderId}, updated_at = ${at}::timestamptz,
        status = CASE p.status WHEN 'CREATED' THEN 'GATEWAY_ORDER_CREATED' ELSE p.status END
      WHERE p.id = ${id}::uuid AND p.gateway_order_id IS NULL
      RETURNING ${paymentOrderColumns}`;
    return rows[0] === undefined ? undefined : toPaymentOrder(rows[0]);
  },
});
