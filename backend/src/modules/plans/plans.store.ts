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
 * Returns the moment for which a debit was announced. The version before this one writes when it
 * sent the notice alone, and leaves the moment of an earlier notice, which lies before that.
 */
const announcedFor = (noticedAt: Date, { noticedDebitAt, nextDueAt }: Row): Date => {
  const noticed = addMs(noticedAt, noticeMs);
  if (noticedDebitAt !== null && noticedDebitAt >= noticed) return noticedDebitAt;
  return nextDueAt !== null && nextDueAt > noticed ? nextDueAt : noticed;
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
  const { noticedInstallmentNo, noticedAt, noticedDebitAt: _noticedDebitAt, ...rest } = row;
  const { mandateGateway: _gateway, mandateTokenSealed: _token, ...more } = rest;
  const { mandateMaxPaise: _maxPaise, mandateEndsOn: _endsOn, ...plan } = more;
  return {
    ...plan,
    amountPaise: paise(row.amountPaise),
    // Both held by check constraints.
    status: row.status as PlanStatus,
    frequency: row.frequency as Frequency,
    startDate: dayOf(row.startDate),
    mandate: toMandate(row),
    lastNotice:
      noticedInstallmentNo === null || noticedAt === null
        ? undefined
        : { installmentNo: noticedInstallmentNo, debitAt: announcedFor(noticedAt, row) },
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
 * Counts a customer's plans that have not ended, including paused plans. The count is final only
 * under the holding's lock.
 */
export const countActivePlans = (db: Db, userId: string): Promise<number> =>
  db.sipPlan.count({ where: { userId, status: { in: ['ACTIVE', 'PAUSED'] } } });

/** Counts the plans that a customer has created since `from`, including ended plans. */
export const countPlansMade = (db: Db, userId: string, from: Date): Promise<number> =>
  db.sipPlan.count({ where: { userId, createdAt: { gte: from } } });

/** Locks a plan until the transaction ends, before any lock of its orders, and returns it. */
export const lockPlan = async (tx: Db, id: string): Promise<Plan | undefined> => {
  await lockRow(tx, 'sip_plan', id);
  const row = await tx.sipPlan.findUnique({ where: { id }, select: planColumns });
  return row === null ? undefined : toPlan(row);
};

/** Ends a plan, which then raises nothing more, and returns how many rows were still in `from`. */
export const markPlanEnded = async (
  tx: Db,
  { id, status: from }: Pick<Plan, 'id' | 'status'>,
  to: 'CANCELLED' | 'COMPLETED',
  at: Date,
): Promise<number> => {
  const ended = to === 'CANCELLED' ? { cancelledAt: at } : { completedAt: at };
  const { count } = await tx.sipPlan.updateMany({
    where: { id, status: from },
    data: { ...ended, status: to, nextDueAt: null, updatedAt: at },
  });
  return count;
};

/** The columns of a plan without an announced debit. */
const noNotice = { noticedInstallmentNo: null, noticedAt: null, noticedDebitAt: null } as const;

/** Pauses an active plan, and returns how many rows were ACTIVE. */
export const markPlanPaused = async (tx: Db, id: string, at: Date): Promise<number> => {
  const { count } = await tx.sipPlan.updateMany({
    where: { id, status: 'ACTIVE' },
    data: { ...noNotice, status: 'PAUSED', pausedAt: at, updatedAt: at },
  });
  return count;
};

/** The place of a plan in its schedule. */
interface Rescheduled {
  readonly passedOver: number;
  readonly nextDueAt: Date;
}

/** Goes on with a paused plan, and returns how many rows were PAUSED. */
export const markPlanResumed = async (
  tx: Db,
  id: string,
  to: Rescheduled,
  at: Date,
): Promise<number> => {
  const { count } = await tx.sipPlan.updateMany({
    where: { id, status: 'PAUSED' },
    data: { ...to, status: 'ACTIVE', updatedAt: at },
  });
  return count;
};

/** Moves the next installment of an active plan to a later date. The caller holds its lock. */
export const updateSchedule = async (
  tx: Db,
  id: string,
  to: Rescheduled,
  at: Date,
): Promise<void> => {
  await tx.sipPlan.updateMany({
    where: { id, status: 'ACTIVE' },
    data: { ...noNotice, ...to, updatedAt: at },
  });
};

/** The lease of the worker that raises a plan's next installment. */
const lease = createLease({ table: 'sip_plan' });

export const ofTrader = isTrader(sql`p.user_id`);

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
 * Claims plans whose next installment is due, the longest due first. No other worker raises it
 * until the lease ends. Plans of a customer who may not buy, or whose gateway can't be used, stay
 * due.
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
  const claimed = await selectRows<{ id: string }>(
    db,
    sql`
      WITH due AS MATERIALIZED (
        SELECT p.id FROM sip_plan p
        WHERE p.status = 'ACTIVE' AND p.next_due_at <= ${now}::timestamptz
          AND ${lease.isFree('p')} AND ${isPayable(gateways)} AND ${ofTrader}
        ORDER BY p.next_due_at LIMIT ${limit} FOR UPDATE OF p SKIP LOCKED)
      UPDATE sip_plan SET holder_id = ${holderId}::uuid, lease_until = ${lease.until(leaseMs)}
      FROM due WHERE sip_plan.id = due.id
      RETURNING sip_plan.id`,
  );
  if (claimed.length === 0) return [];
  const rows = await db.sipPlan.findMany({
    where: { id: { in: claimed.map(({ id }) => id) } },
    orderBy: { nextDueAt: 'asc' },
    select: planColumns,
  });
  return rows.map(toPlan);
};

interface AdvanceOf {
  /** The due time of the next installment, or null after the last one. */
  readonly nextDueAt: Date | null;
  /** Of the installment that is raised, where the customer is notified of its debit only now. */
  readonly noticedFor?: Date | undefined;
  /** Returns true if the plan was delayed for longer than one period. */
  readonly missedUntil?: Date | undefined;
  readonly now: Date;
}

/** Also of the date that was read: it may have been passed over since. */
const isUnraised = ({ installmentsRaised, nextDueAt }: Plan): Sql =>
  sql`status = 'ACTIVE' AND installments_raised = ${installmentsRaised}::int
    AND next_due_at = ${nextDueAt}::timestamptz`;

const advance = ({ installmentsRaised }: Plan, change: AdvanceOf): Sql => {
  const { nextDueAt, noticedFor, missedUntil, now } = change;
  const raised = installmentsRaised + 1;
  const noticed =
    noticedFor === undefined
      ? noSql
      : sql`, noticed_installment_no = ${raised}::int, noticed_at = ${now}::timestamptz,
          noticed_debit_at = ${noticedFor}::timestamptz`;
  const missed =
    missedUntil === undefined ? noSql : sql`, missed_until = ${missedUntil}::timestamptz`;
  return sql`
    installments_raised = ${raised}::int, next_due_at = ${nextDueAt}::timestamptz,
    updated_at = ${now}::timestamptz ${noticed} ${missed}`;
};

/**
 * Moves a claimed plan on to its next installment and gives the lease back. Returns false if the
 * plan has ended, is paused or skips the date, or another worker raised the installment. The caller
 * must then write nothing for it.
 */
export const advancePlan = (
  tx: Db,
  plan: Plan,
  change: AdvanceOf & { readonly holderId: string },
): Promise<boolean> =>
  lease.release(tx, {
    row: sql`id = ${plan.id}::uuid`,
    holderId: change.holderId,
    where: isUnraised(plan),
    set: advance(plan, change),
  });

/**
 * Advances a plan past an installment that is raised before its day, even if another worker has
 * claimed the plan: that claim is of an installment that is now raised, and has no effect. The
 * caller holds the plan's lock.
 */
export const advanceLockedPlan = async (
  tx: Db,
  plan: Plan,
  change: AdvanceOf,
): Promise<boolean> => {
  const where = sql`id = ${plan.id}::uuid AND ${isUnraised(plan)}`;
  return (
    (await execute(tx, sql`UPDATE sip_plan SET ${advance(plan, change)} WHERE ${where}`)) === 1
  );
};

/** A plan that is to be completed. */
export interface EndedPlan {
  readonly id: string;
  readonly updatedAt: Date;
}

/** Lists plans whose installments are all raised and finished, in a fixed order after `after`. */
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
