import type { Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { sweepRows } from '../../platform/jobs/index.ts';
import { describeError } from '../../platform/observability/index.ts';
import { placeInstallment, placeUndebited } from '../buying/index.ts';
import type { Limits } from '../settings/index.ts';
import { findLastDebit } from './plan-debits.store.ts';
import { notifyDebit, notifyInstallmentDue, notifyNotDebited } from './plans.notifications.ts';
import { advancePlan, claimDuePlans, lockPlan, type UsableGateways } from './plans.store.ts';
import type { Mandate, Plan, PlansDeps } from './plans.types.ts';
import { dueAtOf, isAfterMandate, isMissed, planDebit } from './schedule.rules.ts';

/**
 * The lease of a claimed plan in ms, which is much longer than a batch takes. If the worker dies,
 * the plan waits until the lease ends.
 */
const leaseMs = 30_000;
const batchSize = 200;
/** The number of concurrent transactions. More would use up the connections that jobs need. */
const groupCount = 4;

export type RaiseDeps = Pick<
  PlansDeps,
  | 'db'
  | 'inTransaction'
  | 'clock'
  | 'random'
  | 'logger'
  | 'gates'
  | 'limits'
  | 'notify'
  | 'payments'
>;

/** A claimed plan whose next installment is due. */
interface DuePlan {
  readonly plan: Plan;
  readonly holderId: string;
  readonly gateways: UsableGateways;
  readonly limits: Limits;
}

/** The next installment of a claimed plan. */
interface DueInstallment extends DuePlan {
  readonly installmentNo: number;
  readonly dueAt: Date;
  /**
   * The due time of the following installment. For the last installment it is the next date of the
   * schedule.
   */
  readonly nextDueAt: Date;
  readonly now: Date;
}

const advance = (
  tx: Db,
  { plan, holderId, installmentNo, nextDueAt, now }: DueInstallment,
  changes: {
    readonly announcedDebitAt?: Date | undefined;
    readonly missedUntil?: Date | undefined;
  } = {},
): Promise<boolean> => {
  const isLast = installmentNo === plan.durationInstallments;
  return advancePlan(tx, plan, { holderId, nextDueAt: isLast ? null : nextDueAt, now, ...changes });
};

const placementOf = ({ plan, installmentNo, dueAt }: DueInstallment) => ({
  userId: plan.userId,
  planId: plan.id,
  installmentNo,
  amountPaise: plan.amountPaise,
  dueAt,
});

/** Raises an installment that the customer pays at a checkout. */
const raiseCheckout = async (
  deps: RaiseDeps,
  tx: Db,
  installment: DueInstallment,
): Promise<boolean> => {
  const { plan, installmentNo, gateways } = installment;
  if (!(await advance(tx, installment))) return false;
  const gateway = gateways.checkout;
  invariant(gateway, `plan ${plan.id} was claimed with a gateway`);
  const { orderId } = await placeInstallment(deps, tx, { ...placementOf(installment), gateway });
  await notifyInstallmentDue(tx, deps.notify, plan, { installmentNo, orderId });
  return true;
};

/**
 * Raises an installment that is not debited. The customer may pay it until the following installment
 * is due. If that time has already passed, the next sweep fails the installment and notifies the
 * customer.
 */
const raiseUndebited = async (
  deps: RaiseDeps,
  tx: Db,
  installment: DueInstallment,
  missedUntil: Date | undefined,
): Promise<boolean> => {
  const { plan, installmentNo, nextDueAt: payableUntil, now } = installment;
  if (!(await advance(tx, installment, { missedUntil }))) return false;
  const orderId = await placeUndebited(deps, tx, { ...placementOf(installment), payableUntil });
  if (payableUntil > now) {
    await notifyNotDebited(tx, deps.notify, plan, { installmentNo, orderId, payableUntil });
  }
  return true;
};

/** Raises an installment that is debited under a mandate. If it was not announced yet, announces it. */
const raiseDebit = async (
  deps: RaiseDeps,
  tx: Db,
  installment: DueInstallment,
  { gateway, tokenSealed }: Mandate,
): Promise<boolean> => {
  const { plan, installmentNo, dueAt, now } = installment;
  // The plan's lock serialises the scheduling of its debits, which must be one period apart.
  const lastNotice = (await lockPlan(tx, plan.id))?.lastNotice;
  const announcedDebitAt =
    lastNotice?.installmentNo === installmentNo ? lastNotice.debitAt : undefined;
  const debitToPlan = { dueAt, announcedDebitAt, lastDebitAt: await findLastDebit(tx, plan.id) };
  const { debitAt, isAnnounced } = planDebit(plan, debitToPlan, now);
  if (isAfterMandate(plan, debitAt)) return raiseUndebited(deps, tx, installment, undefined);
  if (!(await advance(tx, installment, { announcedDebitAt: isAnnounced ? undefined : debitAt }))) {
    return false;
  }
  const mandate = { tokenSealed, debitAt };
  await placeInstallment(deps, tx, { ...placementOf(installment), gateway, mandate });
  if (!isAnnounced) await notifyDebit(tx, deps.notify, plan, { installmentNo, debitAt });
  return true;
};

/**
 * Creates the function that raises the next installment of a claimed plan. One transaction advances the
 * plan, inserts the gold order and its payment order, and notifies the customer. An installment is never
 * raised twice, because the plan advances only from the number that was read under this claim, and the
 * database refuses a second order with the same number.
 */
const createRaiseInstallment =
  (deps: RaiseDeps) =>
  ({ plan, ...claimed }: DuePlan): Promise<boolean> =>
    deps.inTransaction(async (tx) => {
      const now = deps.clock.now();
      const { mandate, nextDueAt: dueAt, missedUntil } = plan;
      invariant(dueAt, `plan ${plan.id} is due`);
      const installmentNo = plan.installmentsRaised + 1;
      const nextDueAt = dueAtOf(plan, installmentNo + 1);
      const installment = { ...claimed, plan, installmentNo, dueAt, nextDueAt, now };
      if (mandate === undefined) return raiseCheckout(deps, tx, installment);
      if (isMissed(plan, dueAt, now)) return raiseUndebited(deps, tx, installment, now);
      const fellDueWhileDelayed = missedUntil !== null && dueAt <= missedUntil;
      const isAboveMandateLimit = plan.amountPaise > claimed.limits.mandateMaxPaise;
      if (fellDueWhileDelayed || isAboveMandateLimit)
        return raiseUndebited(deps, tx, installment, undefined);
      return raiseDebit(deps, tx, installment, mandate);
    });

/** Distributes rows over `groupCount` groups that run concurrently. */
const distribute = <Row>(rows: readonly Row[]): Row[][] =>
  Array.from({ length: groupCount }, (_, group) =>
    rows.filter((_row, index) => index % groupCount === group),
  );

/**
 * Creates the function that claims a batch of due plans and raises one installment of each plan. The
 * function returns the number of plans that it claimed.
 */
export const createRaiseBatch = (deps: RaiseDeps) => {
  const { db, clock, random, logger } = deps;
  const raise = createRaiseInstallment(deps);
  return async (gateways: UsableGateways, signal: AbortSignal): Promise<number> => {
    const holderId = random.uuid();
    const limits = await deps.limits.current();
    const claim = { now: clock.now(), holderId, leaseMs, limit: batchSize, gateways };
    const plans = await claimDuePlans(db, claim);
    const duePlans = plans.map((plan) => ({ plan, holderId, gateways, limits }));
    const onError = (error: unknown, { plan: { id: planId } }: DuePlan): void =>
      logger.error({ planId, err: describeError(error) }, 'an installment was not raised');
    const raisedCounts = await Promise.all(
      distribute(duePlans).map((rows) => sweepRows({ rows, signal, handle: raise, onError })),
    );
    const count = raisedCounts.reduce((sum, groupRaised) => sum + groupRaised, 0);
    if (plans.length > 0) logger.info({ due: plans.length, raised: count }, 'installments raised');
    return plans.length;
  };
};
