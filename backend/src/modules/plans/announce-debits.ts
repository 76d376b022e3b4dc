import { findLastDebit, markAnnounced } from './plan-debits.store.ts';
import { notifyDebit } from './plans.notifications.ts';
import { lockPlan } from './plans.store.ts';
import type { PlansDeps } from './plans.types.ts';
import { isAfterMandate, isMissed, planDebit } from './schedule.rules.ts';

export type AnnounceDeps = Pick<
  PlansDeps,
  'db' | 'inTransaction' | 'clock' | 'logger' | 'gates' | 'limits' | 'notify' | 'payments'
>;

/** Announces the next debit of a plan in its own transaction. Returns false if it announced nothing. */
export const announceDebit = (deps: AnnounceDeps, planId: string): Promise<boolean> =>
  deps.inTransaction(async (tx) => {
    const now = deps.clock.now();
    const plan = await lockPlan(tx, planId);
    if (plan?.status !== 'ACTIVE' || plan.nextDueAt === null) return false;
    const installmentNo = plan.installmentsRaised + 1;
    const { nextDueAt: dueAt, lastNotice } = plan;
    // Another worker may have announced the debit in the meantime. A missed installment is raised
    // without a debit, so nothing is announced.
    if (lastNotice?.installmentNo === installmentNo || isMissed(plan, dueAt, now)) return false;
    const lastDebitAt = await findLastDebit(tx, planId);
    const { debitAt } = planDebit(plan, { dueAt, announcedDebitAt: undefined, lastDebitAt }, now);
    if (isAfterMandate(plan, debitAt)) return false;
    await markAnnounced(tx, planId, debitAt, now);
    await notifyDebit(tx, deps.notify, plan, { installmentNo, debitAt });
    return true;
  });
