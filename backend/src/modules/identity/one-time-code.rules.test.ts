import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addMs, msBetween } from '../../platform/clock/clock.ts';
import {
  afterWrongCode,
  guessWindowMs,
  lockMs,
  noWrongCodes,
  secondsLocked,
  secondsToNextSend,
  sendWindowMs,
} from './one-time-code.rules.ts';

const start = new Date('2026-01-05T04:00:00.000Z');
const at = (minutes: number): Date => addMs(start, minutes * 60_000);

/** Returns which of these wrong codes, in order, locked; one sent while locked is not counted. */
const locksOf = (minutes: readonly number[]): number[] => {
  let wrong = noWrongCodes;
  return minutes.filter((minute) => {
    if (secondsLocked(wrong, at(minute)) > 0) return false;
    wrong = afterWrongCode(wrong, at(minute));
    return wrong.lockedUntil !== null;
  });
};

describe('wrong codes', () => {
  it('lock at the third within 30 minutes', () => {
    expect(locksOf([0, 10, 29])).toEqual([29]);
    expect(locksOf([0, 10, 30])).toEqual([]);
  });

  it('are counted over a window that slides with them', () => {
    expect(locksOf([0, 20, 40, 60, 80])).toEqual([]);
    expect(locksOf([0, 29, 31, 32])).toEqual([32]);
  });

  it('lock for 30 minutes, and count from nothing after', () => {
    const locked = afterWrongCode(
      afterWrongCode(afterWrongCode(noWrongCodes, at(0)), at(1)),
      at(2),
    );
    expect(secondsLocked(locked, at(2))).toBe(1800);
    expect(secondsLocked(locked, addMs(at(32), -1))).toBe(0.001);
    expect(secondsLocked(locked, at(32))).toBe(0);
    expect(locksOf([0, 1, 2, 33, 34])).toEqual([2]);
  });

  it('never let four be judged within any 30 minutes', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 40 });
    fc.assert(
      fc.property(gaps, (minutesBetween) => {
        let wrong = noWrongCodes;
        let now = start;
        const judged: Date[] = [];
        for (const minutes of minutesBetween) {
          now = addMs(now, minutes * 60_000);
          if (secondsLocked(wrong, now) > 0) continue;
          wrong = afterWrongCode(wrong, now);
          judged.push(now);
        }
        for (const [index, time] of judged.entries()) {
          const fourth = judged[index + 3];
          expect(fourth === undefined || msBetween(time, fourth) >= guessWindowMs).toBe(true);
        }
      }),
    );
  });

  it('of a clock that was set back since count for nothing', () => {
    const tomorrow = at(24 * 60);
    const wrong = afterWrongCode(afterWrongCode(noWrongCodes, tomorrow), tomorrow);
    const locked = afterWrongCode(wrong, tomorrow);
    expect(secondsLocked(locked, at(0))).toBe(0);
    expect(afterWrongCode(locked, at(0)).lockedUntil).toBeNull();
  });
});

describe('sends', () => {
  it('wait for the oldest of the last few to leave the window', () => {
    const sends = [at(0), at(3), at(5)];
    expect(secondsToNextSend(sends, 4, at(6))).toBe(0);
    expect(secondsToNextSend(sends, 3, at(6))).toBe(9 * 60);
    expect(secondsToNextSend(sends, 3, at(15))).toBe(0);
    expect(secondsToNextSend(sends, 2, at(15))).toBe(3 * 60);
  });

  it('of a clock that was set back since count for nothing', () => {
    const tomorrow = at(24 * 60);
    expect(secondsToNextSend([tomorrow, tomorrow], 2, at(0))).toBe(0);
  });

  it('never number more than allowed within any 15 minutes', () => {
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

it('locks for as long as it counts, so that a lock never ends into another', () => {
  expect(lockMs).toBeGreaterThanOrEqual(guessWindowMs);
});
