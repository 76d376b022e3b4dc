import { expect, it } from 'vitest';
import { findPayoutProblem, type ProviderStatus } from './payout-stuck.ts';

const statuses: readonly ProviderStatus[] = [
  'PROCESSING',
  'PAID',
  'FAILED',
  'REVERSED',
  'NO_SUCH_PAYOUT',
];

/** Our statuses of a payout and its attempt, and the provider's statuses that agree with them. */
const agreeing: readonly [string, string, boolean, readonly ProviderStatus[]][] = [
  ['PROCESSING', 'INTENDED', true, ['PROCESSING', 'NO_SUCH_PAYOUT']],
  ['PROCESSING', 'UNKNOWN', true, ['PROCESSING', 'NO_SUCH_PAYOUT']],
  ['PROCESSING', 'PROCESSING', true, ['PROCESSING', 'NO_SUCH_PAYOUT']],
  ['PAID', 'PAID', true, ['PAID']],
  ['FAILED', 'FAILED', true, ['FAILED', 'REVERSED', 'NO_SUCH_PAYOUT']],
  ['FAILED', 'REFUSED', true, ['FAILED', 'REVERSED', 'NO_SUCH_PAYOUT']],
  ['REVERSED', 'REVERSED', true, ['FAILED', 'REVERSED']],
  // While the payout waits for a further attempt, the newest attempt has its own status.
  ['PENDING', 'FAILED', true, ['FAILED', 'REVERSED', 'NO_SUCH_PAYOUT']],
  ['PENDING', 'REVERSED', true, ['FAILED', 'REVERSED']],
  // So has an earlier attempt. If that was paid, the customer would be paid twice.
  ['PAID', 'FAILED', false, ['FAILED', 'REVERSED', 'NO_SUCH_PAYOUT']],
  ['PROCESSING', 'REVERSED', false, ['FAILED', 'REVERSED']],
  // For the newest attempt, the payout's status is compared and not the attempt's.
  ['PAID', 'PROCESSING', true, ['PAID']],
];

it.each(agreeing)(
  'a payout %s with its attempt %s (newest: %s) agrees with %j',
  (payoutStatus, attemptStatus, isNewest, expected) => {
    const own = {
      payoutStatus,
      attemptStatus,
      isNewest,
      amountPaise: 5n,
      proceedsPaise: 5n,
      providerPayoutId: null,
    };
    const found = statuses.filter(
      (status) => findPayoutProblem(own, { status, amountPaise: 5n }) === undefined,
    );
    expect(found.toSorted()).toEqual(expected.toSorted());
  },
);

const open = {
  payoutStatus: 'PROCESSING',
  attemptStatus: 'PROCESSING',
  isNewest: true,
  amountPaise: 5n,
  proceedsPaise: 5n,
  providerPayoutId: 'pout_1',
};

it('the check finds a payout that the provider once named and no longer has', () => {
  const lost = { status: 'NO_SUCH_PAYOUT', amountPaise: undefined } as const;
  expect(findPayoutProblem(open, lost)).toBe('PROVIDER_SAYS_OTHERWISE');
  expect(findPayoutProblem({ ...open, providerPayoutId: null }, lost)).toBeUndefined();
});

const paid = (amountPaise: bigint) => ({ status: 'PROCESSING', amountPaise }) as const;

it('the check finds another amount, unless only our own two amounts differ', () => {
  expect(findPayoutProblem(open, paid(6n))).toBe('OTHER_AMOUNT');
  expect(findPayoutProblem({ ...open, amountPaise: 6n }, paid(5n))).toBeUndefined();
});
