import { expect, it } from 'vitest';
import { addMs } from '../clock/clock.ts';
import { countTry, type CountedTries } from './counted-tries.ts';

const start = new Date('2026-11-22T18:20:00.000Z');
const minuteMs = 60_000;
const at = (minutes: number): Date => addMs(start, minutes * minuteMs);

/** Counts tries at these minutes, and returns the verdict on each and what is stored after them. */
const tryAt = (...minutes: readonly number[]) => {
  let tries: CountedTries = { triedAt: [], lockedUntil: null };
  const verdicts = minutes.map((minute) => {
    const counted = countTry(tries, at(minute));
    if (counted.kind === 'locked') return `locked ${counted.retryAfterSeconds}`;
    tries = counted.next;
    return counted.locks ? 'judged, locks' : 'judged';
  });
  return { verdicts, tries };
};

it.each([
  ['five within 15 minutes', [0, 1, 2, 3, 14.99], 'judged, locks'],
  ['five within any 15 minutes', [0, 14, 14.1, 14.2, 15.1, 28.9], 'judged, locks'],
  ['not four and one 15 minutes after the first', [0, 1, 2, 3, 15], 'judged'],
])('the count of tries locks at %s', (_name, minutes, last) => {
  expect(tryAt(...minutes).verdicts.at(-1)).toBe(last);
});

it('the count of tries judges the fifth, and none for 30 minutes after it', () => {
  const { verdicts } = tryAt(0, 0, 0, 0, 0, 0, 29.99, 30, 30, 30, 30, 30, 30);
  expect(verdicts).toEqual([
    'judged',
    'judged',
    'judged',
    'judged',
    'judged, locks',
    'locked 1800',
    expect.stringMatching(/^locked 0\./u),
    'judged',
    'judged',
    'judged',
    'judged',
    'judged, locks',
    'locked 1800',
  ]);
});

it('the count of tries keeps five times at most', () => {
  expect(tryAt(0, 16, 32, 48, 64, 80, 96).tries.triedAt).toEqual([at(96)]);
  expect(tryAt(0, 0, 0, 0, 0).tries.triedAt).toHaveLength(5);
});

it('the count of tries counts no try and no lock of before the clock was set back', () => {
  const day = 24 * 60;
  expect(tryAt(day, day, day, day, day, 0).verdicts.at(-1)).toBe('judged');
  expect(tryAt(day, day, day, day, 0).verdicts.at(-1)).toBe('judged');
});
