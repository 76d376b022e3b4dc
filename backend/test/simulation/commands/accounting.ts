import type { UntypedAnswer } from '../../support/caller.ts';
import { istDay } from '../model/figures.ts';
import type { World } from '../model/world.ts';
import { allow, busy, numberOf, Refuted, same, type Command, type Story } from '../story.ts';
import { nothing } from './payments.ts';

const [dayMs, minuteMs] = [86_400_000, 60_000];
const base = '/api/v1/accounting/gold';

const makeWritable = ({ system }: Story): void =>
  system.setSwitch('ACCOUNTING_PORTAL_MODE', 'readwrite');

/** Returns the end of a day in India. */
const endOf = (day: string): number => Date.parse(`${day}T00:00:00.000+05:30`) + dayMs;

/** Returns true from two minutes after the end of a day, when it can be frozen. */
const isSettled = (day: string, now: number): boolean => endOf(day) + 2 * minuteMs <= now;

const signDay = (story: Story, day: string): Promise<UntypedAnswer> =>
  story.sessions.accountant('POST', `${base}/provider-reconciliation/${day}/sign-off`);

const judgeSigned = (world: World, day: string, answer: UntypedAnswer): void => {
  const fits = isSettled(day, world.now) && !world.daysSigned.includes(day);
  allow('sign-off', answer, [fits ? '201' : '409 CONFLICT', ...busy]);
  if (answer.status === 201) world.daysSigned.push(day);
};

/**
 * An accountant signs off a day: a past day, the present day, or a day that is already signed off.
 */
export const signOff: Command = {
  name: 'sign-off',
  choose: (_story, { int }) => ({ ago: int(9) }),
  prepare(story, given) {
    const day = istDay(story.world.now - numberOf(given, 'ago') * dayMs);
    return {
      call() {
        makeWritable(story);
        return signDay(story, day);
      },
      judge: (changed, answer) => judgeSigned(changed, day, answer),
    };
  },
};

interface OpenMonth {
  readonly period: string;
  readonly canClose: boolean;
  readonly isOver: boolean;
  readonly waitsFor: string | null;
  readonly unsignedDays: readonly string[];
}

const readOpenMonths = async ({ sessions }: Story): Promise<readonly OpenMonth[]> => {
  const { status, body } = await sessions.accountant('GET', `${base}/month-end`);
  if (status !== 200) throw new Refuted('open months', JSON.stringify(body));
  return body.items;
};

/**
 * Checks that the days which prevent the closing of a month belong to it and are not signed off.
 */
const checkOpenMonth = (world: World, { period, unsignedDays, isOver }: OpenMonth): void => {
  same(`month ${period} is over`, isOver, isSettled(lastDayOf(period), world.now));
  const wrong = unsignedDays.find(
    (day) => world.daysSigned.includes(day) || !day.startsWith(period),
  );
  if (wrong !== undefined) throw new Refuted('open months', `${wrong} is signed off`);
};

const lastDayOf = (period: string): string => {
  const [year = 0, month = 1] = period.split('-').map(Number);
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
};

/** An accountant signs off the days that keep the oldest month open, and closes the month. */
export const closeMonth: Command = {
  name: 'close-month',
  choose: (_story, { percent }) => ({ sign: percent(70) }),
  prepare(story, given) {
    let [month, signed]: [OpenMonth | undefined, string[]] = [undefined, []];
    return {
      async call() {
        makeWritable(story);
        [month, signed] = [(await readOpenMonths(story))[0], []];
        if (month === undefined) return nothing;
        const days = given['sign'] === true && month.isOver ? month.unsignedDays : [];
        for (const day of days) {
          const answer = await signDay(story, day);
          allow('sign-off', answer, ['201', ...busy]);
          signed.push(day);
        }
        return story.sessions.accountant('POST', `${base}/month-end-close/${month.period}`);
      },
      judge(changed, answer) {
        if (month === undefined) return;
        checkOpenMonth(changed, month);
        changed.daysSigned.push(...signed);
        const { period, waitsFor, unsignedDays, isOver } = month;
        const isFree = waitsFor === null && unsignedDays.length === signed.length;
        allow('month end', answer, [isOver && isFree ? '201' : '409 CONFLICT', ...busy]);
        if (answer.status !== 201) return;
        changed.monthsClosed.push({ period, totals: JSON.stringify(answer.body.totals) });
      },
    };
  },
};

/** An accountant closes a month a second time, or reopens it. */
export const reopenMonth: Command = {
  name: 'reopen-month',
  choose({ world }, { int, percent }) {
    if (world.monthsClosed.length === 0) return undefined;
    const newest = world.monthsClosed.length - 1;
    return { m: percent(60) ? newest : int(newest + 1), again: percent(40) };
  },
  prepare(story, given) {
    const m = numberOf(given, 'm');
    const closed = story.world.monthsClosed[m];
    if (closed === undefined) return undefined;
    const path = `${base}/month-end-close/${closed.period}`;
    const isAgain = given['again'] === true;
    let frozen: UntypedAnswer = nothing;
    return {
      async call() {
        makeWritable(story);
        frozen = await story.sessions.accountant('GET', path);
        if (isAgain) return story.sessions.accountant('POST', path);
        const reason = 'as the story says';
        return story.sessions.accountant('POST', `${path}/reopen`, { reason });
      },
      judge(changed, answer) {
        same('frozen totals', JSON.stringify(frozen.body.totals), closed.totals);
        const isNewest = m === changed.monthsClosed.length - 1;
        const fits = !isAgain && isNewest;
        allow('closing again', answer, [fits ? '200' : '409 CONFLICT', ...busy]);
        if (answer.status === 200) changed.monthsClosed.splice(m, 1);
      },
    };
  },
};
