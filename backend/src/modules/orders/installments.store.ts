import type { Paise } from '../../money/index.ts';
import { execute, sql, type Db } from '../../platform/db/index.ts';
import { selectOrders } from './orders.store.ts';
import type { GoldOrder } from './orders.types.ts';

export interface PlacedInstallment {
  readonly id: string;
  /** Of the event that the order's history begins with. */
  readonly eventId: string;
  readonly userId: string;
  readonly planId: string;
  /** From 1. */
  readonly installmentNo: number;
  readonly amountPaise: Paise;
  readonly dueAt: Date;
  readonly expiresAt: Date;
  readonly at: Date;
}

/**
 * Writes the order of an installment and the first row of its history in one statement. Rupees
 * alone are known of it: the gold is bought at the price of the moment at which it is paid.
 * @throws a unique violation where the plan has an installment of this number
 */
export const insertInstallmentOrder = async (
  db: Db,
  installment: PlacedInstallment,
): Promise<void> => {
  const { id, eventId, userId, planId, installmentNo, amountPaise, dueAt, expiresAt, at } =
    installment;
  await execute(
    db,
    sql`
      WITH placed AS (
        INSERT INTO gold_order (id, user_id, type, status, unit, amount_paise, sip_plan_id,
          installment_no, due_at, expires_at, created_at, updated_at)
        VALUES (${id}::uuid, ${userId}::uuid, 'SIP_INSTALLMENT', 'PENDING', 'INR',
          ${amountPaise}::bigint, ${planId}::uuid, ${installmentNo}::int, ${dueAt}::timestamptz,
          ${expiresAt}::timestamptz, ${at}::timestamptz, ${at}::timestamptz)
        RETURNING id, status)
      INSERT INTO gold_order_event (id, order_id, from_status, to_status, cause, actor, at)
      SELECT ${eventId}::uuid, id, NULL, status, 'installment.raised', 'worker',
        ${at}::timestamptz
      FROM placed`,
  );
};

/** Lists the installments of a plan by their numbers, the first one first. */
export const listInstallments = (db: Db, planId: string): Promise<GoldOrder[]> =>
  selectOrders(db, sql`WHERE o.sip_plan_id = ${planId}::uuid ORDER BY o.installment_no`);
