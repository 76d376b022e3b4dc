import { addMs } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';

export const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY'] as const;
export type Frequency = (typeof frequencies)[number];

/** The days on which a plan raises its installments. */
export interface Schedule {
  /** A day of the IST calendar, `YYYY-MM-DD`: that of the first installment. */
  readonly startDate: string;
  readonly frequency: Frequency;
  /** Dates that no installment has, since they were skipped or fell into a pause. None by default. */
  readonly passedOver?: number;
}

const dayMs = 24 * 3_600_000;
/** A debit is announced this long before it. */
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
 * Returns the day of an installment that is not raised yet, by its number, from 1, as `YYYY-MM-DD`.
 * Each is worked out from the start, so that a plan of the 31st is back on the 31st after a shorter
 * month.
 */
export const dateOfInstallment = (
  { startDate, frequency, passedOver = 0 }: Schedule,
  no: number,
): string => {
  const passed = no - 1 + passedOver;
  if (frequency === 'MONTHLY') return addMonths(startDate, passed);
  return addDays(startDate, frequency === 'WEEKLY' ? 7 * passed : passed);
};

/**
 * Returns the moment at which the installment of a number, from 1, falls due: 09:00 IST of its day.
 * For the first one it may have passed when the plan is created (contract: plans > Schedule).
 */
export const dueAtOf = (schedule: Schedule, no: number): Date =>
  new Date(`${dateOfInstallment(schedule, no)}T09:00:00.000+05:30`);

/**
 * Returns the schedule with as many more dates passed over as lie before `now`: the next
 * installment, of number `no`, falls due on the first date that has not gone by.
 */
export const passOverGone = <Plan extends Schedule>(plan: Plan, no: number, now: Date): Plan => {
  let later = plan;
  while (dueAtOf(later, no) < now) {
    later = { ...later, passedOver: (later.passedOver ?? 0) + 1 };
  }
  return later;
};

/** A plan whose installments are raised up to a number. */
interface RaisedPlan extends Schedule {
  readonly installmentsRaised: number;
  readonly nextDueAt: Date | null;
}

/** Returns when the installment after this one, which is raised, falls due. */
export const nextDueAfter = (plan: RaisedPlan, no: number): Date =>
  no === plan.installmentsRaised && plan.nextDueAt !== null
    ? plan.nextDueAt
    : dueAtOf(plan, no + 1);

/** Returns true for a debit on a day after the last one of its plan's mandate. */
export const isAfterMandate = (
  { mandate }: { readonly mandate: { readonly endsOn: string | undefined } | undefined },
  debitAt: Date,
): boolean => mandate?.endsOn !== undefined && istDate(debitAt) > mandate.endsOn;

/** Returns the last day on which a plan created at `now` may start, `YYYY-MM-DD`. */
export const lastStartDate = (now: Date): string => addMonths(istDate(now), 12);

/** The least time between two debits of a plan: of a month, its shortest. */
const periodDays: Readonly<Record<Frequency, number>> = { DAILY: 1, WEEKLY: 7, MONTHLY: 28 };

/** Returns the moment that is one period after `at`. */
export const periodAfter = ({ frequency }: Pick<Schedule, 'frequency'>, at: Date): Date =>
  addMs(at, periodDays[frequency] * dayMs);

/**
 * Returns true once whatever was due at `dueAt` has waited for longer than one period: it is not
 * debited any more, since the next one has its own debit (contract: plans > Missed debits).
 */
export const isMissed = (schedule: Pick<Schedule, 'frequency'>, dueAt: Date, now: Date): boolean =>
  periodAfter(schedule, dueAt) < now;

/** A debit that is to be planned, or planned again. */
interface DebitToPlan {
  readonly dueAt: Date;
  /** The moment for which it was announced, or undefined where it was not. */
  readonly announcedFor: Date | undefined;
  /** The plan's debit before it, sent or to be sent, or undefined for the first one. */
  readonly lastDebitAt: Date | undefined;
}

/** The time of a debit, and its notice, which the customer may have or still need. */
interface PlannedDebit {
  readonly debitAt: Date;
  readonly isAnnounced: boolean;
}

const latest = (...moments: readonly Date[]): Date =>
  moments.reduce((one, other) => (one > other ? one : other));

/**
 * Schedules a debit: not before its installment is due, nor less than one period after the previous
 * debit, nor less than 24 h after the customer was notified. An announced debit stays while it
 * satisfies this and its day has not passed. Otherwise it is announced again (contract: plans >
 * Mandates).
 */
export const planDebit = (
  schedule: Pick<Schedule, 'frequency'>,
  { dueAt, announcedFor, lastDebitAt }: DebitToPlan,
  now: Date,
): PlannedDebit => {
  const earliest =
    lastDebitAt === undefined ? dueAt : latest(dueAt, periodAfter(schedule, lastDebitAt));
  const stands =
    announcedFor !== undefined && announcedFor >= earliest && istDate(announcedFor) >= istDate(now);
  if (stands) return { debitAt: announcedFor, isAnnounced: true };
  return { debitAt: latest(earliest, addMs(now, noticeMs)), isAnnounced: false };
};
