import type { Db } from '../../platform/db/index.ts';
import type { PaymentFact, PaymentStanding, RecordedPayment } from './payments.types.ts';

export interface PaymentRecord {
  /** Given to a new row; a known payment keeps its own. */
  readonly id: string;
  readonly paymentOrderId: string | undefined;
  readonly standing: PaymentStanding;
}

/**
 * Every payment that a gateway told us of, one row each by the gateway's own id. A row that says
 * FAILED or UNMATCHED may learn better; one of captured money is left as it is.
 */
export const createGatewayPaymentStore = (db: Db) => ({
  async find(gateway: string, gatewayPaymentId: string): Promise<RecordedPayment | undefined> {
    const rows = await db.$queryRaw<RecordedPayment[]>`
      SELECT id, gateway_payment_id AS "gatewayPaymentId", payment_order_id AS "paymentOrderId",
        status, standing
      FROM gateway_payment
      WHERE gateway = ${gateway} AND gateway_payment_id = ${gatewayPaymentId}`;
    return rows[0];
  },

  /** Whether an order has money of a payment other than this one that was not paid back. */
  async hasOtherCapture(orderId: string, fact: PaymentFact): Promise<boolean> {
    const rows = await db.$queryRaw<{ found: boolean }[]>`
      SELECT EXISTS (
        SELECT 1 FROM gateway_payment g JOIN payment_order p ON p.id = g.payment_order_id
        WHERE p.order_id = ${orderId}::uuid AND g.status = 'CAPTURED'
          AND g.standing <> 'REFUNDED'
          AND NOT (g.gateway = ${fact.gateway} AND g.gateway_payment_id = ${fact.gatewayPaymentId})
      ) AS found`;
    return rows[0]?.found === true;
  },

  /** Writes what is known of a payment; answers the row's id, undefined when it was settled. */
  async record(fact: PaymentFact, record: PaymentRecord): Promise<string | undefined> {
    const status = fact.kind === 'captured' ? 'CAPTURED' : 'FAILED';
    const rows = await db.$queryRaw<{ id: string }[]>`
      INSERT INTO gateway_payment AS g
        (id, gateway, gateway_payment_id, gateway_order_id, payment_order_id, status, standing,
         amount_paise, currency, method, learned_at, gateway_at, updated_at)
      VALUES
        (${record.id}::uuid, ${fact.gateway}, ${fact.gatewayPaymentId}, ${fact.gatewayOrderId},
         ${record.paymentOrderId ?? null}::uuid, ${status}, ${record.standing},
         ${fact.amountPaise}, ${fact.currency}, ${fact.method ?? null},
         ${fact.learnedAt}::timestamptz, ${fact.occurredAt}::timestamptz,
         ${fact.learnedAt}::timestamptz)
      ON CONFLICT (gateway, gateway_payment_id) DO UPDATE SET
        gateway_order_id = EXCLUDED.gateway_order_id,
        payment_order_id = COALESCE(EXCLUDED.payment_order_id, g.payment_order_id),
        status = EXCLUDED.status, standing = EXCLUDED.standing,
        amount_paise = EXCLUDED.amount_paise, currency = EXCLUDED.currency,
        method = COALESCE(EXCLUDED.method, g.method), learned_at = EXCLUDED.learned_at,
        gateway_at = EXCLUDED.gateway_at, updated_at = EXCLUDED.updated_at
      WHERE g.standing = 'NONE' OR (g.standing = 'UNMATCHED' AND EXCLUDED.status = 'CAPTURED')
      RETURNING g.id`;
    return rows[0]?.id;
  },
});
