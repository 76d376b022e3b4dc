import { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from '../../platform/db/index.ts';
import {
  paymentOrderColumns,
  toPaymentOrder,
  type PaymentOrderRow,
} from './payment-order.store.ts';
import type { PaymentOrder } from './payments.types.ts';

export interface LastAsked {
  readonly now: Date;
  readonly askedBefore: Date;
}

/** Which payment orders are due for a question to their gateway. */
export interface AskWindow extends LastAsked {
  readonly createdBefore: Date;
  /** The end of the lock: open ones from before this on, closed ones between the two. */
  readonly expiresTo: Date;
  readonly closedExpiresFrom: Date;
  readonly closedCreatedFrom: Date;
  readonly closedAskedBefore: Date;
  /** Open ones are asked about now and then, however far their end is. */
  readonly longNotAsked: Date;
  readonly limit: number;
}

/** A time that lies ahead is of a clock that was set back since, and says nothing. */
const notAskedSince = ({ now, askedBefore }: LastAsked): Prisma.Sql => Prisma.sql`(
  p.last_asked_at IS NULL OR p.last_asked_at < ${askedBefore}::timestamptz
  OR p.last_asked_at > ${now}::timestamptz)`;

/** Which payment orders a gateway is asked about, and when it was last. */
export const createPaymentsToAskStore = (db: Db) => ({
  /** Those whose gateway may know of payments that we never heard of, oldest lock first. */
  async listToAsk(window: AskWindow): Promise<PaymentOrder[]> {
    const rows = await db.$queryRaw<PaymentOrderRow[]>`
      SELECT ${paymentOrderColumns} FROM payment_order p
      WHERE p.created_at < ${window.createdBefore}::timestamptz AND ${notAskedSince(window)}
        AND ((p.status IN ('CREATED', 'GATEWAY_ORDER_CREATED')
            AND (p.expires_at < ${window.expiresTo}::timestamptz
              OR p.last_asked_at < ${window.longNotAsked}::timestamptz))
          OR (p.status IN ('FAILED', 'EXPIRED')
            AND p.created_at > ${window.closedCreatedFrom}::timestamptz
            AND p.last_asked_at NOT BETWEEN ${window.closedAskedBefore}::timestamptz
              AND ${window.now}::timestamptz
            AND p.expires_at BETWEEN ${window.closedExpiresFrom}::timestamptz
              AND ${window.expiresTo}::timestamptz))
      ORDER BY p.expires_at LIMIT ${window.limit}`;
    return rows.map(toPaymentOrder);
  },

  /** True for the one caller that may ask now. */
  async claimAsking(id: string, asked: LastAsked): Promise<boolean> {
    const count = await db.$executeRaw`
      UPDATE payment_order p SET last_asked_at = ${asked.now}::timestamptz
      WHERE p.id = ${id}::uuid AND ${notAskedSince(asked)}`;
    return count === 1;
  },
});
