import { describe, expect, it } from 'vitest';
import { isOpenAttempt, payoutTransitions, reportVerdicts } from './payouts.states.ts';
import { attemptStatuses, payoutStatuses } from './payouts.types.ts';

describe('the transitions of a payout', () => {
  it('are those of the contract and no other', () => {
    const transitions = payoutStatuses.flatMap((from) =>
      Object.keys(payoutTransitions[from]).map((to) => `${from}>${to}`),
    );
    expect(transitions).toEqual([
      'PENDING>PROCESSING',
      'PROCESSING>PAID',
      'PROCESSING>FAILED',
      'PROCESSING>REVERSED',
      'PAID>REVERSED',
      'FAILED>PENDING',
      'REVERSED>PENDING',
    ]);
  });

  it('never lead out of PAID but by a reversal', () => {
    expect(Object.keys(payoutTransitions.PAID)).toEqual(['REVERSED']);
  });
});

const open = { PROCESSING: 'PROCESSING', PAID: 'PAID', FAILED: 'FAILED', REVERSED: 'REVERSED' };
const stale = { PROCESSING: 'STALE', PAID: 'STALE', FAILED: 'STALE', REVERSED: 'STALE' };

describe("the provider's report of an attempt", () => {
  it.each([
    ['INTENDED', open],
    ['UNKNOWN', open],
    ['PROCESSING', { ...open, PROCESSING: 'STALE' }],
    ['REFUSED', { ...stale, PROCESSING: 'CONTRADICTION', PAID: 'CONTRADICTION' }],
    ['PAID', { ...stale, FAILED: 'CONTRADICTION', REVERSED: 'REVERSED' }],
    ['FAILED', { ...stale, PAID: 'CONTRADICTION' }],
    ['REVERSED', stale],
  ] as const)('that is %s means %o', (status, verdicts) => {
    expect(reportVerdicts[status]).toEqual(verdicts);
  });

  it('is known for every state of an attempt', () => {
    expect(Object.keys(reportVerdicts).toSorted()).toEqual([...attemptStatuses].toSorted());
    const undecided = attemptStatuses.filter(isOpenAttempt);
    expect(undecided).toEqual(['INTENDED', 'UNKNOWN', 'PROCESSING']);
  });
});
