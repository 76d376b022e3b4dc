import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addMs, msBetween } from '../../platform/clock/clock.ts';
import { countTry, type CountedTries } from '../../platform/auth/counted-tries.ts';
import {
  callerCodeRule,
  guessWindowMs,
  secondsToNextSend,
  sendWindowMs,
  strangersCodeRule,
} from './one-time-code.rules.ts';

const start = new Date('2026-01-05T04:00:00.000Z');
const at = (minutes: number): Date => addMs(start, minutes * 60_000);

const noTries: CountedTries = { triedAt: [], lockedUntil: null };

/** Returns which of these wrong codes, in order, locked. One sent while locked is not counted. */
const locksOf = (minutes: readonly number[], rule = callerCodeRule): number[] => {
  let tries = noTries;
  return minutes.filter((minute) => {
    const counted = countTry(tries, at(minute), rule);
    if (counted.kind === 'locked') return false;
    tries = counted.next;
    return counted.locks;
  });
};

describe('wrong codes', () => {
  it('lock their caller at the third within 30 minutes', () => {
    expect(locksOf([0, 10, 29])).toEqual([29]);
    expect(locksOf([0, 10, 30])).toEqual([]);
  });

  it('lock all strangers at the tenth within 30 minutes', () => {
    expect(locksOf([0, 1, 2, 3, 4, 5, 6, 7, 8, 29], strangersCodeRule)).toEqual([29]);
    expect(locksOf([0, 1, 2, 3, 4, 5, 6, 7, 8, 30], strangersCodeRule)).toEqual([]);
  });

  it('are counted over a sliding window', () => {
    expect(locksOf([0, 20, 40, 60, 80])).toEqual([]);
    expect(locksOf([0, 29, 31, 32])).toEqual([32]);
  });

  it('lock for 30 minutes, and are counted from zero after that', () => {
    const locked = { triedAt: [at(0), at(1), at(2)], lockedUntil: at(32) };
    const judgedAt = (moment: Date) => countTry(locked, moment, callerCodeRule);
    expect(judgedAt(at(2))).toEqual({ kind: 'locked', retryAfterSeconds: 1800 });
    expect(judgedAt(addMs(at(32), -1))).toEqual({ kind: 'locked', retryAfterSeconds: 0.001 });
    expect(judgedAt(at(32))).toMatchObject({ kind: 'judge', locks: false });
    expect(locksOf([0, 1, 2, 33, 34])).toEqual([2]);
  });

  it('never let four be judged within any 30 minutes', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 40 });
    fc.assert(
      fc.property(gaps, (minutesBetween) => {
        let tries = noTries;
        let now = start;
        const judged: Date[] = [];
        for (const minutes of minutesBetween) {
          now = addMs(now, minutes * 60_000);
          const counted = countTry(tries, now, callerCodeRule);
          if (counted.kind === 'locked') continue;
          tries = counted.next;
          judged.push(now);
        }
        for (const [index, time] of judged.entries()) {
          const fourth = judged[index + 3];
          expect(fourth === undefined || msBetween(time, fourth) >= guessWindowMs).toBe(true);
        }
      }),
    );
  });

  it('are not counted if the clock was set back since', () => {
    const tomorrow = at(24 * 60);
    const locked = { triedAt: [tomorrow, tomorrow, tomorrow], lockedUntil: at(24 * 60 + 30) };
    expect(countTry(locked, at(0), callerCodeRule)).toMatchObject({ kind: 'judge', locks: false });
  });
});

describe('sends', () => {
  it('wait until the oldest send leaves the window', () => {
    const sends = [at(0), at(3), at(5)];
    expect(secondsToNextSend(sends, 4, at(6))).toBe(0);
    expect(secondsToNextSend(sends, 3, at(6))).toBe(9 * 60);
    expect(secondsToNextSend(sends, 3, at(15))).toBe(0);
    expect(secondsToNextSend(sends, 2, at(15))).toBe(3 * 60);
  });

  it('are not counted if the clock was set back since', () => {
    const tomorrow = at(24 * 60);
    expect(secondsToNextSend([tomorrow, tomorrow], 2, at(0))).toBe(0);
  });

  it('never exceed the limit within any 15 minutes', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 40 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 6 }), (minutesBetween, limit) => {
        let now = start;
        const sent: Date[] = [];
        for (const minutes of minutesBetween) {
          now = addMs(now, minutes * 60_000);
          if (secondsToNextSend(sent, limit, now) === 0) sent.push(now);
        }
        for (const [index, time] of sent.entries()) {
          const tooMany = sent[index + limit];
          expect(tooMany === undefined || msBetween(time, tooMany) >= sendWindowMs).toBe(true);
        }
      }),
    );
  });
});

it.each([
  ['of a caller', callerCodeRule],
  ['of strangers', strangersCodeRule],
])('a lock %s lasts as long as its count, so that none ends into another', (_whose, rule) => {
  expect(rule.lockMs).toBeGreaterThanOrEqual(rule.windowMs);
});
