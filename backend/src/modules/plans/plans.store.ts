import type { Prisma } from '../../generated/prisma/client.ts';
import { paise } from '../../money/index.ts';
import {
  execute,
  lockRow,
  noSql,
  selectRows,
  sql,
  type Db,
  type Sql,
} from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { createLease } from '../../platform/lease/lease.ts';
import { isTrader } from '../kyc/index.ts';
import { noticeMs, type Frequency } from './schedule.rules.ts';
import type { Mandate, Plan, PlanStatus } from './plans.types.ts';

export const planColumns = {
  id: true,
  userId: true,
  status: true,
  amountPaise: true,
  frequency: true,
  durationInstallments: true,
  startDate: true,
  mandateGateway: true,
  mandateTokenSealed: true,
  mandateMaxPaise: true,
  mandateEndsOn: true,
  installmentsRaised: true,
  nextDueAt: true,
  passedOver: true,
  pausedAt: true,
  noticedInstallmentNo: true,
  noticedAt: true,
  noticedDebitAt: true,
  missedUntil: true,
  createdAt: true,
  cancelledAt: true,
  completedAt: true,
} satisfies Prisma.SipPlanSelect;

type Row = Prisma.SipPlanGetPayload<{ select: typeof planColumns }>;

/**
 * Returns the announced time of a debit. The previous version of the worker stores only the time of the
 * notice, so `noticedDebitAt` may be of an earlier notice. In that case the debit was announced for the
 * due time of the installment, or for 24 h after the notice if that is later.
 */
const announcedDebitAtOf = (noticedAt: Date, { noticedDebitAt, nextDueAt }: Row): Date => {
  const earliestDebitAt = addMs(noticedAt, noticeMs);
  if (noticedDebitAt !== null && noticedDebitAt >= earliestDebitAt) return noticedDebitAt;
  return nextDueAt !== null && nextDueAt > earliestDebitAt ? nextDueAt : earliestDebitAt;
};

const dayOf = (date: Date): string => date.toISOString().slice(0, 10);

const toMandate = ({
  mandateGateway: gateway,
  mandateTokenSealed: tokenSealed,
  mandateMaxPaise,
  mandateEndsOn,
}: Row): Mandate | undefined =>
  gateway === null || tokenSealed === null
    ? undefined
    : {
        gateway,
        tokenSealed,
        maxPaise: mandateMaxPaise === null ? undefined : paise(mandateMaxPaise),
        endsOn: mandateEndsOn === null ? undefined : dayOf(mandateEndsOn),
      };

export const toPlan = (row: Row): Plan => {
  const {
    noticedInstallmentNo,
    noticedAt,
    noticedDebitAt: _noticedDebitAt,
    ...withoutNotice
  } = row;
  const { mandateGateway: _gateway, mandateTokenSealed: _token, ...withoutMandate } = withoutNotice;
  const { mandateMaxPaise: _maxPaise, mandateEndsOn: _endsOn, ...plan } = withoutMandate;
  return {
    ...plan,
    amountPaise: paise(row.amountPaise),
    // Check constraints of the database restrict both columns.
    status: row.status as PlanStatus,
    frequency: row.frequency as Frequency,
    startDate: dayOf(row.startDate),
    mandate: toMandate(row),
    lastNotice:
      noticedInstallmentNo === null || noticedAt === null
        ? undefined
        : { installmentNo: noticedInstallmentNo, debitAt: announcedDebitAtOf(noticedAt, row) },
  };
};

type NewPlan = Pick<
  Plan,
  | 'id'
  | 'userId'
  | 'amountPaise'
  | 'frequency'
  | 'durationInstallments'
  | 'startDate'
  | 'mandate'
  | 'createdAt'
> & { readonly nextDueAt: Date };

const toDay = (date: string): Date => new Date(`${date}T00:00:00.000Z`);

export const insertPlan = async (db: Db, { mandate, ...plan }: NewPlan): Promise<void> => {
  await db.sipPlan.create({
    data: {
      ...plan,
      status: 'ACTIVE',
      startDate: toDay(plan.startDate),
      mandateGateway: mandate?.gateway ?? null,
      mandateTokenSealed: mandate?.tokenSealed ?? null,
      mandateMaxPaise: mandate?.maxPaise ?? null,
      mandateEndsOn: mandate?.endsOn === undefined ? null : toDay(mandate.endsOn),
      updatedAt: plan.createdAt,
    },
    select: { id: true },
  });
};

/** Returns a customer's plan, or undefined if the plan is not the customer's. */
export const findPlan = async (db: Db, id: string, userId: string): Promise<Plan | undefined> => {
  const row = await db.sipPlan.findUnique({ where: { id, userId }, select: planColumns });
  return row === null ? undefined : toPlan(row);
};

/** Returns one page of a customer's plans, newest first. */
export const listPlans = async (
  db: Db,
  userId: string,
  page: Page,
): Promise<{ rows: Plan[]; total: number }> => {
  const rows = await db.sipPlan.findMany({
    where: { userId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: page.limit,
    skip: offsetOf(page),
    select: planColumns,
  });
  return { rows: rows.map(toPlan), total: await db.sipPlan.count({ where: { userId } }) };
};

/**
 * Counts a customer's plans that have not ended, including paused plans. The caller has
 * locked the holding, so the count includes concurrent inserts.
 */
export const countActivePlans = (db: Db, userId: string): Promise<number> =>
  db.sipPlan.count({ where: { userId, status: { in: ['ACTIVE', 'PAUSED'] } } });

/** Counts the plans that a customer has created since `from`, including ended plans. */
export const countPlansCreated = (db: Db, userId: string, from: Date): Promise<number> =>
  db.sipPlan.count({ where: { userId, createdAt: { gte: from } } });

/** Locks a plan until the transaction ends, before any lock of its orders, and returns it. */
export const lockPlan = async (tx: Db, id: string): Promise<Plan | undefined> => {
  await lockRow(tx, 'sip_plan', id);
  const row = await tx.sipPlan.findUnique({ where: { id }, select: planColumns });
  return row === null ? undefined : toPlan(row);
};

/** Ends a plan if its status has not changed. Returns the number of changed rows. */
export const markPlanEnded = async (
  tx: Db,
  { id, status: from }: Pick<Plan, 'id' | 'status'>,
  to: 'CANCELLED' | 'COMPLETED',
  now: Date,
): Promise<number> => {
  const endColumns = to === 'CANCELLED' ? { cancelledAt: now } : { completedAt: now };
  const { count } = await tx.sipPlan.updateMany({
    where: { id, status: from },
    data: { ...endColumns, status: to, nextDueAt: null, updatedAt: now },
  });
  return count;
};

/** The values of the notice columns if no debit is announced. */
const clearedNotice = {
  noticedInstallmentNo: null,
  noticedAt: null,
  noticedDebitAt: null,
} as const;

/** Pauses a plan if it is still ACTIVE. Returns the number of changed rows. */
export const markPlanPaused = async (tx: Db, id: string, now: Date): Promise<number> => {
  const { count } = await tx.sipPlan.updateMany({
    where: { id, status: 'ACTIVE' },
    data: { ...clearedNotice, status: 'PAUSED', pausedAt: now, updatedAt: now },
  });
  return count;
};

/** The position of a plan in its schedule. */
interface SchedulePosition {
  readonly passedOver: number;
  readonly nextDueAt: Date;
}

/** Resumes a plan if it is still PAUSED. Returns the number of changed rows. */
export const markPlanResumed = async (
  tx: Db,
  id: string,
  position: SchedulePosition,
  now: Date,
): Promise<number> => {
  const { count } = await tx.sipPlan.updateMany({
    where: { id, status: 'PAUSED' },
    data: { ...position, status: 'ACTIVE', updatedAt: now },
  });
  return count;
};

/** Moves the next installment of an ACTIVE plan to a later date. The caller has locked the plan. */
export const updateSchedule = async (
  tx: Db,
  id: string,
  position: SchedulePosition,
  now: Date,
): Promise<void> => {
  await tx.sipPlan.updateMany({
    where: { id, status: 'ACTIVE' },
    data: { ...clearedNotice, ...position, updatedAt: now },
  });
};

/** The lease of the worker that raises a plan's next installment. */
const lease = createLease({ table: 'sip_plan' });

/** The condition that the customer of plan `p` may buy now. */
export const isTradersPlan = isTrader(sql`p.user_id`);

/** The gateways that can take a payment now. */
export interface UsableGateways {
  /** The gateway for checkouts, or undefined if none is usable. */
  readonly checkout: string | undefined;
  /** The gateways that can debit a mandate. */
  readonly debits: readonly string[];
}

const isPayable = ({ checkout, debits }: UsableGateways): Sql => sql`
  CASE WHEN p.mandate_gateway IS NULL THEN ${checkout !== undefined}::boolean
    ELSE p.mandate_gateway = ANY(${debits}::text[]) END`;

/**
 * Claims plans whose next installment is due, the longest due first. No other worker raises their
 * installments until the lease ends. Plans of a customer who may not buy, or whose gateway can't be
 * used, are not claimed and stay due.
 */
export const claimDuePlans = async (
  db: Db,
  claim: {
    readonly now: Date;
    readonly holderId: string;
    readonly leaseMs: number;
    readonly limit: number;
    readonly gateways: UsableGateways;
  },
): Promise<Plan[]> => {
  const { now, holderId, leaseMs, limit, gateways } = claim;
  const claimedRows = await selectRows<{ id: string }>(
    db,
    sql`
      WITH due AS MATERIALIZED (
        SELECT p.id FROM sip_plan p
        WHERE p.status = 'ACTIVE' AND p.next_due_at <= ${now}::timestamptz
          AND ${lease.isFree('p')} AND ${isPayable(gateways)} AND ${isTradersPlan}
        ORDER BY p.next_due_at LIMIT ${limit} FOR UPDATE OF p SKIP LOCKED)
      UPDATE sip_plan SET holder_id = ${holderId}::uuid, lease_until = ${lease.until(leaseMs)}
      FROM due WHERE sip_plan.id = due.id
      RETURNING sip_plan.id`,
  );
  if (claimedRows.length === 0) return [];
  const rows = await db.sipPlan.findMany({
    where: { id: { in: claimedRows.map(({ id }) => id) } },
    orderBy: { nextDueAt: 'asc' },
    select: planColumns,
  });
  return rows.map(toPlan);
};

interface PlanAdvance {
  /** The due time of the next installment, or null after the last one. */
  readonly nextDueAt: Date | null;
  /** The time of the raised installment's debit, if the customer is notified of it only now. */
  readonly announcedDebitAt?: Date | undefined;
  /** The end of the delay, if the plan was delayed for longer than one period. */
  readonly missedUntil?: Date | undefined;
  readonly now: Date;
}

/**
 * Returns the condition that the plan's next installment is not raised yet. The due time is compared
 * too, because the customer may have skipped the date since the plan was read.
 */
const isUnraised = ({ installmentsRaised, nextDueAt }: Plan): Sql =>
  sql`status = 'ACTIVE' AND installments_raised = ${installmentsRaised}::int
    AND next_due_at = ${nextDueAt}::timestamptz`;

const advanceColumns = ({ installmentsRaised }: Plan, change: PlanAdvance): Sql => {
  const { nextDueAt, announcedDebitAt, missedUntil, now } = change;
  const installmentNo = installmentsRaised + 1;
  const noticeColumns =
    announcedDebitAt === undefined
      ? noSql
      : sql`, noticed_installment_no = ${installmentNo}::int, noticed_at = ${now}::timestamptz,
          noticed_debit_at = ${announcedDebitAt}::timestamptz`;
  const missedColumns =
    missedUntil === undefined ? noSql : sql`, missed_until = ${missedUntil}::timestamptz`;
  return sql`
    installments_raised = ${installmentNo}::int, next_due_at = ${nextDueAt}::timestamptz,
    updated_at = ${now}::timestamptz ${noticeColumns} ${missedColumns}`;
};

/**
 * Advances a claimed plan to its next installment and releases the lease. Returns false if the plan
 * has ended or is paused, if the date was skipped, or if another worker raised the installment. The
 * caller must then write nothing for the installment.
 */
export const advancePlan = (
  tx: Db,
  plan: Plan,
  change: PlanAdvance & { readonly holderId: string },
): Promise<boolean> =>
  lease.release(tx, {
    row: sql`id = ${plan.id}::uuid`,
    holderId: change.holderId,
    where: isUnraised(plan),
    set: advanceColumns(plan, change),
  });

/**
 * Advances a plan past an installment that is raised before its day. Another worker may have claimed
 * the plan, but `advancePlan` then returns false to that worker. The caller has locked the plan.
 */
export const advanceLockedPlan = async (
  tx: Db,
  plan: Plan,
  change: PlanAdvance,
): Promise<boolean> => {
  const where = sql`id = ${plan.id}::uuid AND ${isUnraised(plan)}`;
  return (
    (await execute(tx, sql`UPDATE sip_plan SET ${advanceColumns(plan, change)} WHERE ${where}`)) ===
    1
  );
};

/** A plan whose installments have all ended. */
export interface EndedPlan {
  readonly id: string;
  readonly updatedAt: Date;
}

/** Lists ACTIVE plans whose installments are all raised and ended, in a fixed order after `after`. */
export const listEndedPlans = (
  db: Db,
  { after, limit }: { readonly after: EndedPlan | undefined; readonly limit: number },
): Promise<EndedPlan[]> => {
  const isAfter =
    after === undefined
      ? noSql
      : sql`AND (p.updated_at, p.id) > (${after.updatedAt}::timestamptz, ${after.id}::uuid)`;
  return selectRows(
    db,
    sql`
      SELECT p.id, p.updated_at AS "updatedAt" FROM sip_plan p
      WHERE p.status = 'ACTIVE' AND p.installments_raised = p.duration_installments
        AND NOT EXISTS (
          SELECT FROM gold_order o WHERE o.sip_plan_id = p.id
            AND o.status NOT IN ('ALLOCATED', 'FAILED', 'MANUAL_REVIEW'))
        ${isAfter}
      ORDER BY p.updated_at, p.id LIMIT ${limit}`,
  );
};
