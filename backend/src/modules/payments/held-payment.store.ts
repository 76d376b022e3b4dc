import { Prisma } from '../../generated/prisma/client.ts';
import { paise, type Paise } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { PaymentStanding } from './payments.types.ts';

/** A captured payment of a gold order whose money was not paid back. */
export interface HeldPayment {
  readonly id: string;
  readonly gateway: string;
  readonly gatewayPaymentId: string;
  readonly gatewayOrderId: string | null;
  readonly paymentOrderId: string;
  readonly amountPaise: Paise;
  readonly currency: string;
  readonly standing: PaymentStanding;
  /** Amount and currency are those that were asked for. */
  readonly isAsAsked: boolean;
}

type Row = Omit<HeldPayment, 'amountPaise'> & { readonly amountPaise: bigint };

/** The money that is held for a gold order, among the rows of `gateway_payment`. */
export const createHeldPaymentStore = (db: Db) => ({
  /** Oldest first. Definite under the order's lock. */
  async ofOrder(orderId: string): Promise<HeldPayment[]> {
    const rows = await db.$queryRaw<Row[]>(Prisma.sql`
      SELECT g.id, g.gateway, g.gateway_payment_id AS "gatewayPaymentId",
        coalesce(g.gateway_order_id, p.gateway_order_id) AS "gatewayOrderId",
        p.id AS "paymentOrderId", g.amount_paise AS "amountPaise", g.currency, g.standing,
        g.amount_paise = p.amount_paise AND g.currency = p.currency AS "isAsAsked"
      FROM gateway_payment g JOIN payment_order p ON p.id = g.payment_order_id
      WHERE p.order_id = ${orderId}::uuid AND g.status = 'CAPTURED'
        AND g.standing <> 'REFUNDED'
      ORDER BY g.learned_at, g.id`);
    return rows.map((row) => ({ ...row, amountPaise: paise(row.amountPaise) }));
  },

  /** The money went back. False when that was written before. */
  async markRefunded(id: string, reference: string, at: Date): Promise<boolean> {
    const count = await db.$executeRaw`
      UPDATE gateway_payment
      SET status = 'REFUNDED', standing = 'REFUNDED', refund_reference = ${reference},
        refunded_at = ${at}::timestamptz, updated_at = ${at}::timestamptz
      WHERE id = ${id}::uuid AND status = 'CAPTURED' AND standing <> 'REFUNDED'`;
    return count === 1;
  },

  /** A late payment becomes the one that pays its order. False when it stands otherwise. */
  async apply(id: string, at: Date): Promise<boolean> {
    const count = await db.$executeRaw`
      UPDATE gateway_payment SET standing = 'APPLIED', updated_at = ${at}::timestamptz
      WHERE id = ${id}::uuid AND status = 'CAPTURED' AND standing IN ('LATE', 'APPLIED')`;
    return count === 1;
  },
});
