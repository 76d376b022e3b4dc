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
const plansAtOnce = 200;
/** The number of concurrent transactions. More would take the connections of the jobs. */
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

/** A claimed plan of which the next installment is to be raised. */
interface DuePlan {
  readonly plan: Plan;
  readonly holderId: string;
  readonly gateways: UsableGateways;
  readonly limits: Limits;
}

/** An installment that is raised now. */
interface Raising extends DuePlan {
  readonly installmentNo: number;
  readonly dueAt: Date;
  /** Of the installment after it. Of the last one, the day on which there would be another. */
  readonly nextDueAt: Date;
  readonly now: Date;
}

const advance = (
  tx: Db,
  { plan, holderId, installmentNo, nextDueAt, now }: Raising,
  more: { readonly noticedFor?: Date | undefined; readonly missedUntil?: Date | undefined } = {},
): Promise<boolean> => {
  const isLast = installmentNo === plan.durationInstallments;
  return advancePlan(tx, plan, { holderId, nextDueAt: isLast ? null : nextDueAt, now, ...more });
};

const toPlace = ({ plan, installmentNo, dueAt }: Raising) => ({
  userId: plan.userId,
  planId: plan.id,
  installmentNo,
  amountPaise: plan.amountPaise,
  dueAt,
});

/** Raises an installment that its customer pays at a checkout. */
const raiseCheckout = async (deps: RaiseDeps, tx: Db, raising: Raising): Promise<boolean> => {
  const { plan, installmentNo, gateways } = raising;
  if (!(await advance(tx, raising))) return false;
  const gateway = gateways.checkout;
  invariant(gateway, `plan ${plan.id} was claimed with a gateway`);
  const { orderId } = await placeInstallment(deps, tx, { ...toPlace(raising), gateway });
  await notifyInstallmentDue(tx, deps.notify, plan, { installmentNo, orderId });
  return true;
};

/**
 * Raises an installment that is not debited: its customer may pay it until the next one falls due.
 * If that time has already passed, the next sweep fails it and notifies the customer.
 */
const raiseUndebited = async (
  deps: RaiseDeps,
  tx: Db,
  raising: Raising,
  missedUntil: Date | undefined,
): Promise<boolean> => {
  const { plan, installmentNo, nextDueAt: payableUntil, now } = raising;
  if (!(await advance(tx, raising, { missedUntil }))) return false;
  const orderId = await placeUndebited(deps, tx, { ...toPlace(raising), payableUntil });
  if (payableUntil > now) {
    await notifyNotDebited(tx, deps.notify, plan, { installmentNo, orderId, payableUntil });
  }
  return true;
};

/** Raises an installment of a mandate, which is debited as it was announced, or is announced now. */
const raiseDebit = async (
  deps: RaiseDeps,
  tx: Db,
  raising: Raising,
  { gateway, tokenSealed }: Mandate,
): Promise<boolean> => {
  const { plan, installmentNo, dueAt, now } = raising;
  // Debits of a plan are planned one after another, each a period after the one before it.
  const lastNotice = (await lockPlan(tx, plan.id))?.lastNotice;
  const announcedFor = lastNotice?.installmentNo === installmentNo ? lastNotice.debitAt : undefined;
  const toPlan = { dueAt, announcedFor, lastDebitAt: await findLastDebit(tx, plan.id) };
  const { debitAt, isAnnounced } = planDebit(plan, toPlan, now);
  if (isAfterMandate(plan, debitAt)) return raiseUndebited(deps, tx, raising, undefined);
  if (!(await advance(tx, raising, { noticedFor: isAnnounced ? undefined : debitAt }))) {
    return false;
  }
  const mandate = { tokenSealed, debitAt };
  await placeInstallment(deps, tx, { ...toPlace(raising), gateway, mandate });
  if (!isAnnounced) await notifyDebit(tx, deps.notify, plan, { installmentNo, debitAt });
  return true;
};

/**
 * Creates `raise`, which raises the next installment of a claimed plan in one transaction: the plan
 * moves on, the gold order and its payment order are written, the customer is notified. All of it
 * or nothing, and never twice: the plan moves on only from the number that was read under this
 * claim, and the database refuses a second order of a number.
 */
const createRaise =
  (deps: RaiseDeps) =>
  ({ plan, ...claimed }: DuePlan): Promise<boolean> =>
    deps.inTransaction(async (tx) => {
      const now = deps.clock.now();
      const { mandate, nextDueAt: dueAt, missedUntil } = plan;
      invariant(dueAt, `plan ${plan.id} is due`);
      const installmentNo = plan.installmentsRaised + 1;
      const nextDueAt = dueAtOf(plan, installmentNo + 1);
      const raising = { ...claimed, plan, installmentNo, dueAt, nextDueAt, now };
      if (mandate === undefined) return raiseCheckout(deps, tx, raising);
      if (isMissed(plan, dueAt, now)) return raiseUndebited(deps, tx, raising, now);
      const isOfStandstill = missedUntil !== null && dueAt <= missedUntil;
      const isTooMuch = plan.amountPaise > claimed.limits.mandateMaxPaise;
      if (isOfStandstill || isTooMuch) return raiseUndebited(deps, tx, raising, undefined);
      return raiseDebit(deps, tx, raising, mandate);
    });

/** Distributes rows over `groupCount` groups that run concurrently. */
const distribute = <Row>(rows: readonly Row[]): Row[][] =>
  Array.from({ length: groupCount }, (_, group) =>
    rows.filter((_row, at) => at % groupCount === group),
  );

/**
 * Creates `raiseBatch`, which claims the plans that are due and raises one installment of each. It
 * returns how many plans it claimed.
 */
export const createRaiseBatch = (deps: RaiseDeps) => {
  const { db, clock, random, logger } = deps;
  const raise = createRaise(deps);
  return async (gateways: UsableGateways, signal: AbortSignal): Promise<number> => {
    const holderId = random.uuid();
    const limits = await deps.limits.current();
    const claim = { now: clock.now(), holderId, leaseMs, limit: plansAtOnce, gateways };
    const plans = await claimDuePlans(db, claim);
    const due = plans.map((plan) => ({ plan, holderId, gateways, limits }));
    const onError = (error: unknown, { plan: { id: planId } }: DuePlan): void =>
      logger.error({ planId, err: describeError(error) }, 'an installment was not raised');
    const raised = await Promise.all(
      distribute(due).map((rows) => sweepRows({ rows, signal, handle: raise, onError })),
    );
    const count = raised.reduce((sum, of) => sum + of, 0);
    if (plans.length > 0) logger.info({ due: plans.length, raised: count }, 'installments raised');
    return plans.length;
  };
};
