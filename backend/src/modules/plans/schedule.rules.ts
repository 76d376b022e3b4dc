import { addMs } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';

export const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY'] as const;
export type Frequency = (typeof frequencies)[number];

/** The schedule of a plan's installments. */
export interface Schedule {
  /** The IST date of the first installment, `YYYY-MM-DD`. */
  readonly startDate: string;
  readonly frequency: Frequency;
  /** The number of dates that were skipped or fell into a pause. The default is 0. */
  readonly passedOver?: number;
}

const dayMs = 24 * 3_600_000;
/** The time in ms between the announcement of a debit and the debit. */
export const noticeMs = dayMs;

const toUtc = (date: string): Date => new Date(`${date}T00:00:00.000Z`);
const toDate = (utc: Date): string => utc.toISOString().slice(0, 10);

const addDays = (date: string, days: number): string => toDate(addMs(toUtc(date), days * dayMs));

/** Returns the same day of a later month, or that month's last day if it has no such day. */
const addMonths = (date: string, months: number): string => {
  const from = toUtc(date);
  const year = from.getUTCFullYear();
  const month = from.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return toDate(new Date(Date.UTC(year, month, Math.min(from.getUTCDate(), lastDay))));
};

/**
 * Returns the IST date, `YYYY-MM-DD`, of an installment that is not raised yet. Numbers start at 1.
 * Each date is computed from the start date, so that a plan that starts on the 31st returns to the 31st
 * after a shorter month.
 */
export const dateOfInstallment = (
  { startDate, frequency, passedOver = 0 }: Schedule,
  installmentNo: number,
): string => {
  const periods = installmentNo - 1 + passedOver;
  if (frequency === 'MONTHLY') return addMonths(startDate, periods);
  return addDays(startDate, frequency === 'WEEKLY' ? 7 * periods : periods);
};

/**
 * Returns the due time of an installment, which is 09:00 IST on its date. Numbers start at 1. The due
 * time of the first installment may be before the creation of the plan (contract: plans > Schedule).
 */
export const dueAtOf = (schedule: Schedule, installmentNo: number): Date =>
  new Date(`${dateOfInstallment(schedule, installmentNo)}T09:00:00.000+05:30`);

/**
 * Returns the schedule with every past date passed over, so that installment `installmentNo` is due at
 * the first date that is not before `now`.
 */
export const passOverPastDates = <Plan extends Schedule>(
  plan: Plan,
  installmentNo: number,
  now: Date,
): Plan => {
  let advanced = plan;
  while (dueAtOf(advanced, installmentNo) < now) {
    advanced = { ...advanced, passedOver: (advanced.passedOver ?? 0) + 1 };
  }
  return advanced;
};

/** A schedule with the number of raised installments and the due time of the next one. */
interface RaisedPlan extends Schedule {
  readonly installmentsRaised: number;
  readonly nextDueAt: Date | null;
}

/** Returns the due time of the installment that follows a raised installment. */
export const nextDueAfter = (plan: RaisedPlan, installmentNo: number): Date =>
  installmentNo === plan.installmentsRaised && plan.nextDueAt !== null
    ? plan.nextDueAt
    : dueAtOf(plan, installmentNo + 1);

/** Returns true if a debit would be after the last day of the plan's mandate. */
export const isAfterMandate = (
  { mandate }: { readonly mandate: { readonly endsOn: string | undefined } | undefined },
  debitAt: Date,
): boolean => mandate?.endsOn !== undefined && istDate(debitAt) > mandate.endsOn;

/** Returns the last day on which a plan created at `now` may start, `YYYY-MM-DD`. */
export const lastStartDate = (now: Date): string => addMonths(istDate(now), 12);

/** The minimum number of days between two debits of a plan. A month counts as its shortest length. */
const periodDays: Readonly<Record<Frequency, number>> = { DAILY: 1, WEEKLY: 7, MONTHLY: 28 };

/** Returns the time that is one period after `time`. */
export const addPeriod = ({ frequency }: Pick<Schedule, 'frequency'>, time: Date): Date =>
  addMs(time, periodDays[frequency] * dayMs);

/**
 * Returns true if an installment or debit is more than one period late. It is then not debited any
 * more, because the next installment has its own debit (contract: plans > Missed debits).
 */
export const isMissed = (schedule: Pick<Schedule, 'frequency'>, dueAt: Date, now: Date): boolean =>
  addPeriod(schedule, dueAt) < now;

/** A debit that is scheduled, or scheduled again. */
interface DebitToPlan {
  readonly dueAt: Date;
  /** The announced time of the debit, or undefined if it was not announced. */
  readonly announcedDebitAt: Date | undefined;
  /** The time of the plan's previous debit, sent or unsent, or undefined for the first debit. */
  readonly lastDebitAt: Date | undefined;
}

/** The scheduled time of a debit. */
interface PlannedDebit {
  readonly debitAt: Date;
  /** False if the customer must still be notified of this time. */
  readonly isAnnounced: boolean;
}

const latest = (...moments: readonly Date[]): Date =>
  moments.reduce((one, other) => (one > other ? one : other));

/**
 * Schedules a debit. It is not before its installment is due, and it is at least one period after the
 * previous debit and at least 24 h after the customer was notified. An announced debit keeps its time
 * while the time satisfies these rules and its day has not passed. Otherwise it must be announced again
 * (contract: plans > Mandates).
 */
export const planDebit = (
  schedule: Pick<Schedule, 'frequency'>,
  { dueAt, announcedDebitAt, lastDebitAt }: DebitToPlan,
  now: Date,
): PlannedDebit => {
  const earliest =
    lastDebitAt === undefined ? dueAt : latest(dueAt, addPeriod(schedule, lastDebitAt));
  const isStillValid =
    announcedDebitAt !== undefined &&
    announcedDebitAt >= earliest &&
    istDate(announcedDebitAt) >= istDate(now);
  if (isStillValid) return { debitAt: announcedDebitAt, isAnnounced: true };
  return { debitAt: latest(earliest, addMs(now, noticeMs)), isAnnounced: false };
};
