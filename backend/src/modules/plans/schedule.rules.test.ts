import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addMs } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';
import {
  dateOfInstallment,
  dueAtOf,
  frequencies,
  isMissed,
  lastStartDate,
  noticeMs,
  addPeriod,
  planDebit,
  type Schedule,
} from './schedule.rules.ts';

const dayMs = 24 * 3_600_000;
const monthly = (startDate: string): Schedule => ({ startDate, frequency: 'MONTHLY' });
const daysOf = (schedule: Schedule, count: number): string[] =>
  Array.from({ length: count }, (_, index) => dateOfInstallment(schedule, index + 1));

describe('the dates of a plan', () => {
  it('are the last day of a shorter month, and the original day afterwards', () => {
    expect(daysOf(monthly('2026-10-31'), 6)).toEqual([
      '2026-10-31',
      '2026-11-30',
      '2026-12-31',
      '2027-01-31',
      '2027-02-28',
      '2027-03-31',
    ]);
  });

  it('respect leap years, and centuries that are not leap years', () => {
    expect(daysOf(monthly('2027-12-30'), 3).at(-1)).toBe('2028-02-29');
    expect(daysOf(monthly('2024-02-29'), 13).at(-1)).toBe('2025-02-28');
    expect(daysOf(monthly('2024-02-29'), 49).at(-1)).toBe('2028-02-29');
    expect(dateOfInstallment(monthly('2099-12-31'), 3)).toBe('2100-02-28');
    expect(daysOf({ startDate: '2028-02-28', frequency: 'DAILY' }, 3)).toEqual([
      '2028-02-28',
      '2028-02-29',
      '2028-03-01',
    ]);
    expect(daysOf({ startDate: '2027-12-28', frequency: 'WEEKLY' }, 2)[1]).toBe('2028-01-04');
  });

  it('are due at 09:00 IST', () => {
    expect(dueAtOf(monthly('2026-01-01'), 1)).toEqual(new Date('2026-01-01T03:30:00.000Z'));
  });

  it('start at most a year ahead', () => {
    expect(lastStartDate(new Date('2026-11-22T18:29:59.999Z'))).toBe('2027-11-22');
    expect(lastStartDate(new Date('2026-11-22T18:30:00.000Z'))).toBe('2027-11-23');
    expect(lastStartDate(new Date('2028-02-29T10:00:00.000Z'))).toBe('2029-02-28');
  });
});

const dates = fc
  .date({
    min: new Date('2000-01-01T00:00:00.000Z'),
    max: new Date('2199-12-31T00:00:00.000Z'),
    noInvalidDate: true,
  })
  .map((date) => date.toISOString().slice(0, 10));
const schedules = fc.record({ startDate: dates, frequency: fc.constantFrom(...frequencies) });
const numbers = fc.integer({ min: 1, max: 240 });
const lastOfMonth = (date: string): boolean =>
  addMs(new Date(`${date}T00:00:00.000Z`), dayMs).getUTCDate() === 1;
const monthOf = (text: string): number => {
  const date = new Date(`${text}T00:00:00.000Z`);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
};

describe('every schedule', () => {
  it('is due at 09:00 IST of its date, later with every installment', () => {
    fc.assert(
      fc.property(schedules, numbers, (schedule, no) => {
        const dueAt = dueAtOf(schedule, no);
        expect(dueAt.toISOString().slice(11)).toBe('03:30:00.000Z');
        expect(istDate(dueAt)).toBe(dateOfInstallment(schedule, no));
        expect(dueAtOf(schedule, no + 1) > dueAt).toBe(true);
      }),
    );
  });

  it('starts on its first date and keeps its interval', () => {
    fc.assert(
      fc.property(schedules, numbers, (schedule, no) => {
        const { startDate, frequency } = schedule;
        expect(dateOfInstallment(schedule, 1)).toBe(startDate);
        const days =
          (dueAtOf(schedule, no + 1).getTime() - dueAtOf(schedule, no).getTime()) / dayMs;
        const expected = { DAILY: [1], WEEKLY: [7], MONTHLY: [28, 29, 30, 31] }[frequency];
        expect(expected).toContain(days);
      }),
    );
  });

  it('has one date in every month, on its day or on the last day of a shorter month', () => {
    fc.assert(
      fc.property(dates, numbers, (startDate, no) => {
        const date = dateOfInstallment(monthly(startDate), no);
        const isOnItsDay = date.slice(8) === startDate.slice(8);
        expect(isOnItsDay || (lastOfMonth(date) && date.slice(8) < startDate.slice(8))).toBe(true);
        expect(monthOf(date) - monthOf(startDate)).toBe(no - 1);
      }),
    );
  });
});

const plan = monthly('2026-01-05');
const dueAt = dueAtOf(plan, 1);
const unannounced = { dueAt, announcedDebitAt: undefined, lastDebitAt: undefined };

describe('a debit', () => {
  it('keeps the due time if it was announced for it', () => {
    const debit = { ...unannounced, announcedDebitAt: dueAt };
    expect(planDebit(plan, debit, dueAt)).toEqual({ debitAt: dueAt, isAnnounced: true });
  });

  it('is 24 h after a late notice', () => {
    const announcedDebitAt = addMs(dueAt, noticeMs / 2);
    const debit = { ...unannounced, announcedDebitAt };
    expect(planDebit(plan, debit, dueAt)).toEqual({ debitAt: announcedDebitAt, isAnnounced: true });
    const later = { debitAt: addMs(dueAt, noticeMs), isAnnounced: false };
    expect(planDebit(plan, unannounced, dueAt)).toEqual(later);
  });

  it('is announced again if the announced day has passed', () => {
    const debit = { ...unannounced, announcedDebitAt: dueAt };
    const evening = addMs(dueAt, 14 * 3_600_000);
    expect(planDebit(plan, debit, evening)).toEqual({ debitAt: dueAt, isAnnounced: true });
    const nextMorning = addMs(dueAt, 16 * 3_600_000);
    const again = { debitAt: addMs(nextMorning, noticeMs), isAnnounced: false };
    expect(planDebit(plan, debit, nextMorning)).toEqual(again);
  });

  it.each([
    ['DAILY', 1],
    ['WEEKLY', 7],
    ['MONTHLY', 28],
  ] as const)('of a %s plan is %i days after the previous one', (frequency, days) => {
    const lastDebitAt = addMs(dueAt, 2 * 3_600_000);
    const debitAt = addMs(lastDebitAt, days * dayMs);
    const debit = { ...unannounced, announcedDebitAt: dueAt, lastDebitAt };
    expect(planDebit({ frequency }, debit, dueAt)).toEqual({ debitAt, isAnnounced: false });
    const announced = { ...debit, announcedDebitAt: debitAt };
    expect(planDebit({ frequency }, announced, dueAt)).toEqual({ debitAt, isAnnounced: true });
  });

  it('is missed if it is more than one period late', () => {
    for (const [frequency, days] of [
      ['DAILY', 1],
      ['WEEKLY', 7],
      ['MONTHLY', 28],
    ] as const) {
      expect(isMissed({ frequency }, dueAt, addMs(dueAt, days * dayMs))).toBe(false);
      expect(isMissed({ frequency }, dueAt, addMs(dueAt, days * dayMs + 1))).toBe(true);
    }
  });

  it('is never before its due time, within 24 h of its notice or within a period of the last one', () => {
    const moments = fc.integer({ min: -40 * dayMs, max: 40 * dayMs }).map((ms) => addMs(dueAt, ms));
    const maybe = fc.option(moments, { nil: undefined });
    fc.assert(
      fc.property(
        fc.constantFrom(...frequencies),
        maybe,
        maybe,
        moments,
        (frequency, announcedDebitAt, lastDebitAt, now) => {
          const debit = { dueAt, announcedDebitAt, lastDebitAt };
          const { debitAt, isAnnounced } = planDebit({ frequency }, debit, now);
          expect(debitAt >= dueAt).toBe(true);
          const isNoticed = isAnnounced
            ? debitAt === announcedDebitAt
            : debitAt >= addMs(now, noticeMs);
          expect(isNoticed).toBe(true);
          expect(istDate(debitAt) >= istDate(now)).toBe(true);
          const before = lastDebitAt ?? addMs(dueAt, -40 * dayMs);
          expect(debitAt >= addPeriod({ frequency }, before)).toBe(true);
          expect(istDate(debitAt) > istDate(before)).toBe(true);
        },
      ),
    );
  });
});
