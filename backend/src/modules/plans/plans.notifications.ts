import { formatRupees } from '../../money/index.ts';
import { istDate } from '../../platform/clock/ist.ts';
import type { Db } from '../../platform/db/index.ts';
import { readMerchantName } from '../legal/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { Plan } from './plans.types.ts';

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'Asia/Kolkata',
});

const nameOf = (plan: Plan, installmentNo: number): string =>
  `installment ${installmentNo} of ${plan.durationInstallments} of your gold plan`;

/**
 * Announces a debit under the customer's mandate. The message names the merchant, the amount, the plan
 * and the date, and says that the debit can be skipped. It is sent once for each date, so a debit that
 * is moved to another date is announced again.
 */
export const notifyDebit = async (
  db: Db,
  notify: Notify,
  plan: Plan,
  debit: { readonly installmentNo: number; readonly debitAt: Date },
): Promise<void> => {
  const { installmentNo, debitAt } = debit;
  const rupees = formatRupees(plan.amountPaise);
  const merchant = await readMerchantName(db);
  await notify(db, {
    userId: plan.userId,
    type: 'sip_debit_notice',
    title: 'Upcoming payment for your gold plan',
    body:
      `${merchant} will debit INR ${rupees} for ${nameOf(plan, installmentNo)} on ` +
      `${dayFormat.format(debitAt)}. Please keep this amount in your account. ` +
      'You can skip this one payment in your plan until it is requested.',
    data: {
      planId: plan.id,
      installmentNo,
      amountInr: rupees,
      debitAt: debitAt.toISOString(),
      merchant,
    },
    dedupeKey: `sip_debit_notice:${plan.id}:${installmentNo}:${istDate(debitAt)}`,
  });
};

/** Notifies the customer that an installment was not debited and can be paid until `payableUntil`. */
export const notifyNotDebited = (
  db: Db,
  notify: Notify,
  plan: Plan,
  installment: {
    readonly installmentNo: number;
    readonly orderId: string;
    readonly payableUntil: Date;
  },
): Promise<void> => {
  const { installmentNo, orderId, payableUntil } = installment;
  const rupees = formatRupees(plan.amountPaise);
  return notify(db, {
    userId: plan.userId,
    type: 'sip_installment_due',
    title: 'Your gold plan: payment not debited',
    body:
      `INR ${rupees} for ${nameOf(plan, installmentNo)} was not debited. ` +
      `You can pay it yourself in your plan until ${dayFormat.format(payableUntil)}.`,
    data: { planId: plan.id, orderId, installmentNo, amountInr: rupees },
    dedupeKey: `sip_installment_due:${orderId}`,
  });
};

/** Requests the payment of an installment from the customer of a plan without a mandate. */
export const notifyInstallmentDue = (
  db: Db,
  notify: Notify,
  plan: Plan,
  installment: { readonly installmentNo: number; readonly orderId: string },
): Promise<void> => {
  const { installmentNo, orderId } = installment;
  const rupees = formatRupees(plan.amountPaise);
  return notify(db, {
    userId: plan.userId,
    type: 'sip_installment_due',
    title: 'Your gold plan: payment due',
    body: `Please pay INR ${rupees} for ${nameOf(plan, installmentNo)} within 72 hours.`,
    data: { planId: plan.id, orderId, installmentNo, amountInr: rupees },
    dedupeKey: `sip_installment_due:${orderId}`,
  });
};

/** Notifies the customer that the plan is complete. */
export const notifyCompleted = (db: Db, notify: Notify, plan: Plan): Promise<void> =>
  notify(db, {
    userId: plan.userId,
    type: 'sip_completed',
    title: 'Your gold plan is complete',
    body:
      `All ${plan.durationInstallments} installments of your gold plan of ` +
      `INR ${formatRupees(plan.amountPaise)} have ended. ` +
      'You can still pay any installment that failed.',
    data: { planId: plan.id },
    dedupeKey: `sip_completed:${plan.id}`,
  });

/** Notifies the customer that the plan is paused and nothing new is debited. */
export const notifyPaused = (db: Db, notify: Notify, plan: Plan): Promise<void> =>
  notify(db, {
    userId: plan.userId,
    type: 'sip_paused',
    title: 'Your gold plan is paused',
    body:
      `Your gold plan of INR ${formatRupees(plan.amountPaise)} is paused. Nothing is debited ` +
      'until you resume it. A payment that was already requested may still be taken.',
    data: { planId: plan.id },
  });

/** Notifies the customer that the plan is resumed, and of the date of the next installment. */
export const notifyResumed = (db: Db, notify: Notify, plan: Plan, nextDueAt: Date): Promise<void> =>
  notify(db, {
    userId: plan.userId,
    type: 'sip_resumed',
    title: 'Your gold plan is active again',
    body:
      `Your gold plan of INR ${formatRupees(plan.amountPaise)} continues. ` +
      `Its next installment is due on ${dayFormat.format(nextDueAt)}.`,
    data: { planId: plan.id, nextDueAt: nextDueAt.toISOString() },
  });

/** Notifies the customer that an installment is skipped, and of the date of the next one. */
export const notifySkipped = (
  db: Db,
  notify: Notify,
  plan: Plan,
  { dueAt, nextDueAt }: { readonly dueAt: Date; readonly nextDueAt: Date },
): Promise<void> =>
  notify(db, {
    userId: plan.userId,
    type: 'sip_installment_skipped',
    title: 'Installment skipped',
    body:
      `The installment of INR ${formatRupees(plan.amountPaise)} on ${dayFormat.format(dueAt)} is ` +
      'skipped, and nothing is debited for it. ' +
      `The next installment is due on ${dayFormat.format(nextDueAt)}.`,
    data: { planId: plan.id, dueAt: dueAt.toISOString(), nextDueAt: nextDueAt.toISOString() },
    dedupeKey: `sip_installment_skipped:${plan.id}:${istDate(dueAt)}`,
  });
