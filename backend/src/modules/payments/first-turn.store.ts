import { selectOne, sql, sqlColumns, type Db } from '../../platform/db/index.ts';
import {
  paymentOrderColumns,
  toPaymentOrder,
  type PaymentOrderRow,
} from './payment-orders.store.ts';
import { requestLease, requestLeaseMs } from './gateway-attempts.store.ts';
import type { CreatedGatewayOrder, PaymentOrder } from './payments.types.ts';

/*
 * These are the two writes of a request whose order the first gateway creates. Each write is one
 * statement, and so a transaction by itself (docs/adr/0111-fewer-round-trips.md).
 */

const columns = sqlColumns(paymentOrderColumns);

/** The first request to a gateway for the order of a payment order. */
interface FirstTurn {
  readonly paymentOrderId: string;
  readonly gateway: string;
  readonly holderId: string;
  readonly attemptId: string;
  readonly at: Date;
}

/**
 * Acquires the right to call gateways and commits the intent to call a gateway. It sets the payment
 * order's gateway and inserts the attempt. Returns undefined if a gateway was called before, another
 * request has the lease, or the payment order is no longer CREATED or has expired.
 */
export const acquireFirstTurn = async (
  db: Db,
  { paymentOrderId, gateway, holderId, attemptId, at }: FirstTurn,
): Promise<PaymentOrder | undefined> => {
  const row = await selectOne<PaymentOrderRow>(
    db,
    sql`
      WITH asked AS (
        UPDATE payment_order
        SET gateway = ${gateway}, last_asked_at = ${at}::timestamptz,
          updated_at = ${at}::timestamptz, ${requestLease.taken(holderId, requestLeaseMs)}
        WHERE id = ${paymentOrderId}::uuid AND status = 'CREATED' AND last_asked_at IS NULL
          AND (expires_at IS NULL OR expires_at > ${at}::timestamptz) AND ${requestLease.isFree()}
        RETURNING *),
      intended AS (
        INSERT INTO gateway_attempt (id, payment_order_id, gateway, status, started_at)
        SELECT ${attemptId}::uuid, id, gateway, 'INTENDED', ${at}::timestamptz FROM asked)
      SELECT ${columns} FROM asked`,
  );
  return row === undefined ? undefined : toPaymentOrder(row);
};

/**
 * Opens a CREATED payment order with the order that a gateway created for the holder of the lease.
 * It also ends the lease and marks the attempts at that gateway DONE. Returns undefined and changes
 * nothing if the payment order is no longer CREATED or the lease was lost.
 * @throws a unique violation if another payment order has this gateway order
 */
export const openAndRelease = async (
  db: Db,
  id: string,
  created: CreatedGatewayOrder & { readonly holderId: string; readonly at: Date },
): Promise<PaymentOrder | undefined> => {
  const { gateway, gatewayOrderId, checkoutSession = null, holderId, at } = created;
  const row = await selectOne<PaymentOrderRow>(
    db,
    sql`
      WITH opened AS (
        UPDATE payment_order
        SET status = 'GATEWAY_ORDER_CREATED', gateway = ${gateway},
          gateway_order_id = ${gatewayOrderId}, checkout_session = ${checkoutSession},
          updated_at = ${at}::timestamptz, ${requestLease.cleared}
        WHERE id = ${id}::uuid AND status = 'CREATED' AND gateway_order_id IS NULL
          AND holder_id = ${holderId}::uuid
        RETURNING *),
      done AS (
        UPDATE gateway_attempt a
        SET status = 'DONE', gateway_order_id = ${gatewayOrderId}, detail = 'done',
          ended_at = ${at}::timestamptz
        FROM opened WHERE a.payment_order_id = opened.id AND a.gateway = ${gateway}
          AND a.status IN ('INTENDED', 'UNKNOWN'))
      SELECT ${columns} FROM opened`,
  );
  return row === undefined ? undefined : toPaymentOrder(row);
};
