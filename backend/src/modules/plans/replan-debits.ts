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
 * Cancels a debit whose plan has been delayed for longer than one period since its day, or whose
 * mandate has ended.
 */
const giveUp = async (
  deps: ReplanDeps,
  tx: Db,
  plan: Plan,
  { orderId, installmentNo, isStandstill }: UnsentDebit & { readonly isStandstill: boolean },
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
 * Plans the debits of a plan again that were not sent, in the order of their installments: one whose
 * day has passed, and those after it that would come less than one period after another.
 */
export const replan = (deps: ReplanDeps, planId: string): Promise<boolean> =>
  deps.inTransaction(async (tx) => {
    const now = deps.clock.now();
    const plan = await lockPlan(tx, planId);
    if (plan === undefined) return false;
    let lastDebitAt = await findLastDebit(tx, planId, { sentOnly: true });
    for (const debit of await listUnsentDebits(tx, planId)) {
      const { orderId, installmentNo, dueAt, debitAt: announcedFor } = debit;
      const isLate = istDate(announcedFor) < istDate(now);
      if (isLate && isMissed(plan, announcedFor, now)) {
        await giveUp(deps, tx, plan, { ...debit, isStandstill: true });
        continue;
      }
      const { debitAt, isAnnounced } = planDebit(plan, { dueAt, announcedFor, lastDebitAt }, now);
      if (isAfterMandate(plan, debitAt)) {
        await giveUp(deps, tx, plan, { ...debit, isStandstill: false });
        continue;
      }
      const isMoved = !isAnnounced && (await postponeDebit(deps, tx, { orderId, debitAt }));
      if (isMoved) await notifyDebit(tx, deps.notify, plan, { installmentNo, debitAt });
      lastDebitAt = isMoved ? debitAt : announcedFor;
    }
    return true;
  });
