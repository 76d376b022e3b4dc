import { istDate } from '../../platform/clock/ist.ts';
import type { Db } from '../../platform/db/index.ts';
import { callOffDebit, postponeDebit } from '../buying/index.ts';
import {
  findLastDebit,
  listUnsentDebits,
  markMissed,
  type UnsentDebit,
} from './plan-debits.store.ts';
import { notifyDebit, notifyNotDebited } from './plans.notifications.ts';
import { lockPlan } from './plans.store.ts';
import type { Plan, PlansDeps } from './plans.types.ts';
import { isAfterMandate, isMissed, nextDueAfter, planDebit } from './schedule.rules.ts';

export type ReplanDeps = Pick<
  PlansDeps,
  'db' | 'inTransaction' | 'clock' | 'random' | 'logger' | 'gates' | 'notify' | 'payments'
>;

/**
 * Cancels a debit because its plan was delayed for longer than one period, or because the mandate has
 * ended. The customer may then pay the installment.
 */
const cancelDebit = async (
  deps: ReplanDeps,
  tx: Db,
  plan: Plan,
  {
    orderId,
    installmentNo,
    isPlanDelayed: isStandstill,
  }: UnsentDebit & { readonly isPlanDelayed: boolean },
): Promise<void> => {
  const now = deps.clock.now();
  const payableUntil = nextDueAfter(plan, installmentNo);
  const change = { orderId, payableUntil, cause: 'installment.missed' };
  if (!(await callOffDebit(deps, tx, change))) return;
  if (isStandstill) await markMissed(tx, plan.id, now);
  if (payableUntil > now) {
    await notifyNotDebited(tx, deps.notify, plan, { installmentNo, orderId, payableUntil });
  }
};

/**
 * Reschedules the unsent debits of a plan, in the order of their installments. A debit whose day has
 * passed is moved or cancelled. Later debits are moved if they would be less than one period after the
 * previous debit.
 */
export const replanDebits = (deps: ReplanDeps, planId: string): Promise<boolean> =>
  deps.inTransaction(async (tx) => {
    const now = deps.clock.now();
    const plan = await lockPlan(tx, planId);
    if (plan === undefined) return false;
    let lastDebitAt = await findLastDebit(tx, planId, { sentOnly: true });
    for (const debit of await listUnsentDebits(tx, planId)) {
      const { orderId, installmentNo, dueAt, debitAt: announcedDebitAt } = debit;
      const isLate = istDate(announcedDebitAt) < istDate(now);
      if (isLate && isMissed(plan, announcedDebitAt, now)) {
        await cancelDebit(deps, tx, plan, { ...debit, isPlanDelayed: true });
        continue;
      }
      const { debitAt, isAnnounced } = planDebit(
        plan,
        { dueAt, announcedDebitAt, lastDebitAt },
        now,
      );
      if (isAfterMandate(plan, debitAt)) {
        await cancelDebit(deps, tx, plan, { ...debit, isPlanDelayed: false });
        continue;
      }
      const isMoved = !isAnnounced && (await postponeDebit(deps, tx, { orderId, debitAt }));
      if (isMoved) await notifyDebit(tx, deps.notify, plan, { installmentNo, debitAt });
      lastDebitAt = isMoved ? debitAt : announcedDebitAt;
    }
    return true;
  });
