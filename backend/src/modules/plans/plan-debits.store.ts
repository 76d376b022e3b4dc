import { execute, noSql, selectOne, selectRows, sql, type Db } from '../../platform/db/index.ts';
import type { Paise } from '../../money/index.ts';
import { isTradersPlan } from './plans.store.ts';

/** A plan in the list of a sweep, with the time of its next or earliest unsent debit. */
export interface ListedPlan {
  readonly id: string;
  readonly dueAt: Date;
}

interface Batch {
  /** The last plan of the previous batch, or undefined for the first batch. */
  readonly after: ListedPlan | undefined;
  readonly limit: number;
}

/**
 * Lists plans whose next installment is due before `dueBefore` and whose debit was not announced yet,
 * ordered by due time, after the plan `after`. Leaves out plans whose customer may not buy now or whose
 * gateway can't debit now.
 */
export const listUnannounced = (
  db: Db,
  criteria: {
    readonly dueBefore: Date;
    readonly debitGateways: readonly string[];
    readonly mandateMaxPaise: Paise;
  },
  { after, limit }: Batch,
): Promise<ListedPlan[]> => {
  const isAfter =
    after === undefined
      ? noSql
      : sql`AND (p.next_due_at, p.id) > (${after.dueAt}::timestamptz, ${after.id}::uuid)`;
  return selectRows(
    db,
    sql`
      SELECT p.id, p.next_due_at AS "dueAt" FROM sip_plan p
      WHERE p.status = 'ACTIVE' AND p.mandate_token_sealed IS NOT NULL
        AND p.noticed_installment_no IS DISTINCT FROM p.installments_raised + 1
        AND p.next_due_at <= ${criteria.dueBefore}::timestamptz
        AND p.amount_paise <= ${criteria.mandateMaxPaise}::bigint
        AND (p.mandate_ends_on IS NULL
          OR (p.next_due_at AT TIME ZONE 'Asia/Kolkata')::date <= p.mandate_ends_on)
        AND (p.missed_until IS NULL OR p.next_due_at > p.missed_until)
        AND p.mandate_gateway = ANY(${criteria.debitGateways}::text[]) AND ${isTradersPlan} ${isAfter}
      ORDER BY p.next_due_at, p.id LIMIT ${limit}::int`,
  );
};

/** Stores the announced time of a plan's next debit. The caller has locked the plan. */
export const markAnnounced = async (
  tx: Db,
  planId: string,
  debitAt: Date,
  now: Date,
): Promise<void> => {
  await execute(
    tx,
    sql`
      UPDATE sip_plan SET noticed_installment_no = installments_raised + 1,
        noticed_at = ${now}::timestamptz, noticed_debit_at = ${debitAt}::timestamptz,
        updated_at = ${now}::timestamptz
      WHERE id = ${planId}::uuid`,
  );
};

/** Stores that a plan was delayed for longer than one period, and that the delay ended at `until`. */
export const markMissed = async (tx: Db, planId: string, until: Date): Promise<void> => {
  await tx.sipPlan.updateMany({
    where: { id: planId },
    data: { missedUntil: until, updatedAt: until },
  });
};

/**
 * Returns the time of a plan's last debit, or undefined if there is none. Debits that are still to be
 * sent count, unless `sentOnly` is true. Debits that were cancelled before they were sent do not count.
 * The caller has locked the plan, because otherwise another debit could be planned meanwhile.
 */
export const findLastDebit = async (
  tx: Db,
  planId: string,
  { sentOnly = false }: { readonly sentOnly?: boolean } = {},
): Promise<Date | undefined> => {
  const orPlanned = sentOnly ? noSql : sql`OR p.status IN ('CREATED', 'GATEWAY_ORDER_CREATED')`;
  const row = await selectOne<{ debitAt: Date | null }>(
    tx,
    sql`
      SELECT max(p.debit_due_at) AS "debitAt"
      FROM gold_order o JOIN payment_order p ON p.order_id = o.id
      WHERE o.sip_plan_id = ${planId}::uuid AND p.debit_due_at IS NOT NULL
        AND (p.debit_requested_at IS NOT NULL ${orPlanned})`,
  );
  return row?.debitAt ?? undefined;
};

/** A debit that was planned for an installment and not sent yet. */
export interface UnsentDebit {
  readonly orderId: string;
  readonly paymentOrderId: string;
  readonly installmentNo: number;
  readonly dueAt: Date;
  readonly debitAt: Date;
}

/** Lists the debits of a plan that were not sent yet, ordered by the installments' numbers. */
export const listUnsentDebits = (tx: Db, planId: string): Promise<UnsentDebit[]> =>
  selectRows(
    tx,
    sql`
      SELECT o.id AS "orderId", p.id AS "paymentOrderId", o.installment_no AS "installmentNo",
        o.due_at AS "dueAt", p.debit_due_at AS "debitAt"
      FROM gold_order o JOIN payment_order p ON p.order_id = o.id
      WHERE o.sip_plan_id = ${planId}::uuid AND o.status = 'PENDING'
        AND p.status IN ('CREATED', 'GATEWAY_ORDER_CREATED') AND p.debit_status = 'SCHEDULED'
      ORDER BY o.installment_no`,
  );

/**
 * Lists plans with a debit that was not sent on its day, ordered by id, after the plan `after`. Leaves
 * out plans whose customer may not buy now or whose gateway can't debit now.
 */
export const listLateDebits = (
  db: Db,
  criteria: { readonly startOfToday: Date; readonly debitGateways: readonly string[] },
  { after, limit }: Batch,
): Promise<ListedPlan[]> => {
  const isAfter = after === undefined ? noSql : sql`AND p.id > ${after.id}::uuid`;
  return selectRows(
    db,
    sql`
      SELECT p.id, min(d.debit_due_at) AS "dueAt"
      FROM payment_order d JOIN gold_order o ON o.id = d.order_id
      JOIN sip_plan p ON p.id = o.sip_plan_id
      WHERE d.debit_status = 'SCHEDULED' AND d.debit_due_at < ${criteria.startOfToday}::timestamptz
        AND d.status IN ('CREATED', 'GATEWAY_ORDER_CREATED')
        AND d.gateway = ANY(${criteria.debitGateways}::text[]) AND ${isTradersPlan} ${isAfter}
      GROUP BY p.id ORDER BY p.id LIMIT ${limit}::int`,
  );
};

/** Returns the id of an installment's gold order, or undefined before the installment is raised. */
export const findInstallmentId = async (
  db: Db,
  sipPlanId: string,
  installmentNo: number,
): Promise<string | undefined> =>
  (await db.goldOrder.findFirst({ where: { sipPlanId, installmentNo }, select: { id: true } }))?.id;
