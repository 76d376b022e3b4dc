import { invariant } from '../../platform/invariant/invariant.ts';
import { sweepRows, type Sweep } from '../../platform/jobs/index.ts';
import { describeError } from '../../platform/observability/index.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { placeInstallment } from '../buying/index.ts';
import { listDebitGateways, listUsableGateways } from '../payments/index.ts';
import { transition } from '../../platform/transitions/transitions.ts';
import {
  type EndedPlan,
  type UsableGateways,
  advancePlan,
  claimDuePlans,
  lockUnannounced,
  markAnnounced,
  endPlan,
  listEndedPlans,
  lockPlan,
} from './plans.store.ts';
import type { PlansDeps, Plan } from './plans.types.ts';
import { notifyDebit, notifyInstallmentDue, notifyCompleted } from './plans.notifications.ts';
import { dueAtOf, planDebit, noticeMs } from './schedule.rules.ts';
import { planMachine } from './plans.states.ts';

/**
 * Returns the gateways that installments can be raised with now, undefined while the buy gate is
 * closed: then every plan waits (contract: plans > Schedule).
 */
const findUsableGateways = async ({
  gates,
  payments,
}: Pick<PlansDeps, 'gates' | 'payments'>): Promise<UsableGateways | undefined> => {
  if (!(await gates.isBuyOpen())) return undefined;
  const [checkout] = await listUsableGateways(payments);
  return { checkout, debits: await listDebitGateways(payments) };
};

/** A batch is raised well within it; a plan whose worker died waits for it to end. */
const leaseMs = 30_000;
const plansAtOnce = 200;
/** Transactions at a time: more would only take the connections of the jobs. */
const lanes = 4;

type RaiseDeps = Pick<
  PlansDeps,
  'db' | 'inTransaction' | 'clock' | 'random' | 'logger' | 'gates' | 'notify' | 'payments'
>;

/** A claimed plan of which the next installment is to be raised. */
interface DuePlan {
  readonly plan: Plan;
  readonly holderId: string;
  readonly gateways: UsableGateways;
}

const noticeOf = ({ lastNotice }: Plan, installmentNo: number): Date | undefined =>
  lastNotice?.installmentNo === installmentNo ? lastNotice.sentAt : undefined;

/**
 * Creates `raise`, which raises the next installment of a claimed plan in one transaction: the plan
 * moves on, the gold order and its payment order are written, the customer is notified. All of it
 * or nothing, and never twice: the plan moves on only from the number that was read under this
 * claim, and the database refuses a second order of a number.
 */
const createRaise = (deps: RaiseDeps) => {
  const { inTransaction, clock, notify } = deps;

  return ({ plan, holderId, gateways }: DuePlan): Promise<boolean> =>
    inTransaction(async (tx) => {
      const now = clock.now();
      const { userId, amountPaise, mandate, nextDueAt: dueAt } = plan;
      invariant(dueAt, `plan ${plan.id} is due`);
      const installmentNo = plan.installmentsRaised + 1;
      const isLast = installmentNo === plan.durationInstallments;
      const debit =
        mandate === undefined ? undefined : planDebit(dueAt, noticeOf(plan, installmentNo), now);
      const isAdvanced = await advancePlan(tx, plan, {
        holderId,
        nextDueAt: isLast ? null : dueAtOf(plan, installmentNo + 1),
        noticedAt: debit === undefined || debit.isAnnounced ? undefined : now,
        now,
      });
      if (!isAdvanced) return false;
      const gateway = mandate?.gateway ?? gateways.checkout;
      invariant(gateway, `plan ${plan.id} was claimed with a gateway`);
      const request = { userId, planId: plan.id, installmentNo, amountPaise, dueAt, gateway };
      if (mandate === undefined || debit === undefined) {
        const { orderId } = await placeInstallment(deps, tx, request);
        await notifyInstallmentDue(tx, notify, plan, { installmentNo, orderId });
        return true;
      }
      const { debitAt, isAnnounced } = debit;
      const { tokenSealed } = mandate;
      await placeInstallment(deps, tx, { ...request, mandate: { tokenSealed, debitAt } });
      if (!isAnnounced) await notifyDebit(tx, notify, plan, { installmentNo, debitAt });
      return true;
    });
};

/** Deals rows out to lanes that work beside each other. */
const dealOut = <Row>(rows: readonly Row[]): Row[][] =>
  Array.from({ length: lanes }, (_, lane) => rows.filter((_row, at) => at % lanes === lane));

/**
 * Creates the sweep that raises the installments that are due, a batch of plans at a time: a plan
 * that has missed several dates is in several batches, one installment in each. The gate and the
 * gateways are asked before each batch (contract: plans > Schedule).
 */
export const createRaiseInstallments = (deps: RaiseDeps): Sweep => {
  const { db, clock, random, logger } = deps;
  const raise = createRaise(deps);

  const raiseBatch = async (gateways: UsableGateways, signal: AbortSignal): Promise<number> => {
    const holderId = random.uuid();
    const now = clock.now();
    const claim = { now, holderId, leaseMs, limit: plansAtOnce, gateways };
    const plans = await claimDuePlans(db, claim);
    const due = plans.map((plan) => ({ plan, holderId, gateways }));
    const onError = (error: unknown, { plan: { id: planId } }: DuePlan): void =>
      logger.error({ planId, err: describeError(error) }, 'an installment was not raised');
    const raised = await Promise.all(
      dealOut(due).map((rows) => sweepRows({ rows, signal, handle: raise, onError })),
    );
    const count = raised.reduce((sum, of) => sum + of, 0);
    if (plans.length > 0) logger.info({ due: plans.length, raised: count }, 'installments raised');
    return plans.length;
  };

  return {
    name: 'raise-installments',
    async run(signal) {
      while (!signal.aborted) {
        const gateways = await findUsableGateways(deps);
        if (gateways === undefined || (await raiseBatch(gateways, signal)) === 0) return;
      }
    },
  };
};

const debitsAtOnce = 100;

/**
 * Creates the sweep that announces the next debit of plans with a mandate, 24 h before it. What
 * could not be raised is not announced either (contract: plans > Mandates).
 */
export const createAnnounceDebits = (
  deps: Pick<PlansDeps, 'inTransaction' | 'clock' | 'gates' | 'notify' | 'payments'>,
): Sweep => {
  const { inTransaction, clock, notify } = deps;

  const announceBatch = (gateways: UsableGateways): Promise<number> =>
    inTransaction(async (tx) => {
      const now = clock.now();
      const plans = await lockUnannounced(tx, addMs(now, noticeMs), debitsAtOnce, gateways);
      for (const plan of plans) {
        invariant(plan.nextDueAt, `plan ${plan.id} has a next installment`);
        const { debitAt } = planDebit(plan.nextDueAt, undefined, now);
        const installmentNo = plan.installmentsRaised + 1;
        await notifyDebit(tx, notify, plan, { installmentNo, debitAt });
      }
      const ids = plans.map(({ id }) => id);
      if (ids.length > 0) await markAnnounced(tx, ids, now);
      return plans.length;
    });

  return {
    name: 'announce-debits',
    async run(signal) {
      while (!signal.aborted) {
        const gateways = await findUsableGateways(deps);
        if (gateways === undefined || (await announceBatch(gateways)) < debitsAtOnce) return;
      }
    },
  };
};

const endedAtOnce = 200;

/**
 * Creates the sweep that completes a plan once every installment is raised and none is under way,
 * with the customer's notification in the same transaction (contract: plans > End of a plan).
 */
export const createCompletePlans = (
  deps: Pick<PlansDeps, 'db' | 'inTransaction' | 'clock' | 'logger' | 'notify'>,
): Sweep => {
  const { db, inTransaction, clock, logger, notify } = deps;

  const complete = (id: string): Promise<boolean> =>
    inTransaction(async (tx) => {
      const plan = await lockPlan(tx, id);
      if (plan?.status !== 'ACTIVE') return false;
      await transition(planMachine(logger), {
        id,
        from: plan.status,
        to: 'COMPLETED',
        actor: 'worker',
        cause: 'plan.completed',
        update: () => endPlan(tx, id, 'COMPLETED', clock.now()),
      });
      await notifyCompleted(tx, notify, plan);
      return true;
    });

  return {
    name: 'complete-plans',
    async run(signal) {
      await sweepRows({
        rows: (after?: EndedPlan) => listEndedPlans(db, { after, limit: endedAtOnce }),
        signal,
        handle: ({ id }) => complete(id),
        onError: (error, { id: planId }) =>
          logger.error({ planId, err: describeError(error) }, 'a plan was not completed'),
      });
    },
  };
};
