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

  it('leave PAID only by a reversal', () => {
    expect(Object.keys(payoutTransitions.PAID)).toEqual(['REVERSED']);
  });
});

const openVerdicts = {
  PROCESSING: 'PROCESSING',
  PAID: 'PAID',
  FAILED: 'FAILED',
  REVERSED: 'REVERSED',
};
const staleVerdicts = { PROCESSING: 'STALE', PAID: 'STALE', FAILED: 'STALE', REVERSED: 'STALE' };

describe("the provider's report of an attempt", () => {
  it.each([
    ['INTENDED', openVerdicts],
    ['UNKNOWN', openVerdicts],
    ['PROCESSING', { ...openVerdicts, PROCESSING: 'STALE' }],
    ['REFUSED', { ...staleVerdicts, PROCESSING: 'CONTRADICTION', PAID: 'CONTRADICTION' }],
    ['PAID', { ...staleVerdicts, FAILED: 'CONTRADICTION', REVERSED: 'REVERSED' }],
    ['FAILED', { ...staleVerdicts, PAID: 'CONTRADICTION' }],
    ['REVERSED', staleVerdicts],
  ] as const)('of status %s has the effects %o', (status, verdicts) => {
    expect(reportVerdicts[status]).toEqual(verdicts);
  });

  it('has an effect for every state of an attempt', () => {
    expect(Object.keys(reportVerdicts).toSorted()).toEqual([...attemptStatuses].toSorted());
    const undecided = attemptStatuses.filter(isOpenAttempt);
    expect(undecided).toEqual(['INTENDED', 'UNKNOWN', 'PROCESSING']);
  });
});
