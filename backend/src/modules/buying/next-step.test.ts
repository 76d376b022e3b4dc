import { describe, expect, it } from 'vitest';
import { safegoldRules } from '../../adapters/gold-provider/safegold/safegold.wire.ts';
import { addMs, addSeconds } from '../../platform/clock/clock.ts';
import { done, refused, unknown } from '../../platform/outcome/outcome.ts';
import { nextInstallmentStep, nextStep } from './next-step.ts';
import { readVerdict } from './allocation-verdict.ts';

type Status = Parameters<typeof readVerdict>[0];

const verifiedAt = new Date('2026-01-05T04:00:00.000Z');
const lockEndsAt = addSeconds(verifiedAt, 480);
const retrySeconds = [5, 15, 45, 90, 180];
const after = (seconds: number): Date => addSeconds(verifiedAt, seconds);
const read = (status: Status, now: Date) => readVerdict(status, { verifiedAt, now }, safegoldRules);
const step = (failedTries: number, now: Date, verdict: 'NEVER' | 'UNKNOWN' = 'UNKNOWN') =>
  nextStep({ verdict, now, lockEndsAt, failedTries, retrySeconds });

describe('an order status', () => {
  it('is final if it is sold or failed', () => {
    expect(read(done('SUCCESS'), after(1))).toBe('BOUGHT');
    expect(read(done('SUCCESS'), after(100_000))).toBe('BOUGHT');
    expect(read(done('FAILED'), after(1))).toBe('NEVER');
  });

  it('of a transaction not confirmed is final 10 min and 60 s after its verify', () => {
    const end = after(660);
    const notConfirmed: Status[] = [
      { kind: 'done', value: 'NOT_CONFIRMED' },
      refused('UNKNOWN_TRANSACTION', ''),
    ];
    for (const status of notConfirmed) {
      expect(read(status, after(1))).toBe('NOT_CONFIRMED');
      expect(read(status, end)).toBe('NOT_CONFIRMED');
      expect(read(status, addMs(end, 1))).toBe('NEVER');
    }
  });

  it('without an answer, or in progress, is never final', () => {
    for (const now of [after(1), after(100_000)]) {
      expect(read(unknown('TIMEOUT'), now)).toBe('UNKNOWN');
      expect(read(refused('CIRCUIT_OPEN', ''), now)).toBe('UNKNOWN');
      expect(read(done('IN_PROGRESS'), now)).toBe('UNKNOWN');
    }
  });
});

describe('the step after a failed try', () => {
  it.each([
    [1, 5],
    [2, 15],
    [3, 45],
    [4, 90],
    [5, 180],
  ])('number %i is a retry after %i s', (failedTries, delay) => {
    expect(step(failedTries, after(10))).toEqual({
      kind: 'RETRY',
      dueAt: after(10 + delay),
      failedTries,
    });
  });

  it('is a review after the last retry', () => {
    expect(step(6, after(400))).toMatchObject({ kind: 'REVIEW', code: 'ALLOCATION_EXHAUSTED' });
  });

  it('is at the end of the price lock if the next retry would be later', () => {
    expect(step(5, after(301))).toMatchObject({ kind: 'RETRY', dueAt: lockEndsAt });
  });

  it.each([1, 3, 6])('is a review once the price lock has ended, after %i tries', (failedTries) => {
    const expected = { kind: 'REVIEW', code: 'PROVIDER_LOCK_EXPIRED' };
    expect(step(failedTries, lockEndsAt)).toMatchObject(expected);
    expect(step(failedTries, after(9999), 'NEVER')).toMatchObject(expected);
  });

  it('is a review at once if the provider closed the transaction', () => {
    expect(step(1, after(10), 'NEVER')).toMatchObject({
      kind: 'REVIEW',
      code: 'ALLOCATION_EXHAUSTED',
    });
  });
});

describe('the step after a failed try of an installment', () => {
  const failed = { retrySeconds, decidableAt: undefined, reason: 'No answer.' };
  const code = 'GRAMS_MISMATCH';

  it('is the next retry, regardless of the time of the verify', () => {
    const tried = { ...failed, code, now: after(9999), failedTries: 5 } as const;
    const dueAt = after(9999 + 180);
    expect(nextInstallmentStep(tried)).toEqual({ kind: 'RETRY', dueAt, failedTries: 5 });
  });

  it('is a review after the last retry, with the code of the last try', () => {
    const tried = { ...failed, code, now: after(1), failedTries: 6 } as const;
    expect(nextInstallmentStep(tried)).toMatchObject({ kind: 'REVIEW', code });
  });

  it('waits for an undecided confirm, which does not count as a try', () => {
    const tried = { ...failed, code, now: after(500), failedTries: 6 } as const;
    const decidableAt = after(661);
    expect(nextInstallmentStep({ ...tried, decidableAt })).toEqual({
      kind: 'RETRY',
      dueAt: decidableAt,
      failedTries: 5,
    });
    const late = { ...tried, decidableAt, now: after(661) };
    expect(nextInstallmentStep(late)).toMatchObject({ kind: 'REVIEW' });
  });
});
