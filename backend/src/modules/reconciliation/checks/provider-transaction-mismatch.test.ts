import { describe, expect, it } from 'vitest';
import { grams } from '../../../money/index.ts';
import {
  isExpectedBalance,
  findTransactionProblem,
  type ProviderStatus,
} from './provider-transaction-mismatch.ts';
import type { TransactionRow } from './provider-transaction-mismatch.ts';

const words: readonly ProviderStatus[] = [
  'NOT_CONFIRMED',
  'SUCCESS',
  'FAILED',
  'IN_PROGRESS',
  'NO_SUCH_TRANSACTION',
];
const otherThan = (...some: readonly ProviderStatus[]) => words.filter((w) => !some.includes(w));

const row = (changes: Partial<TransactionRow>): TransactionRow => ({
  since: new Date(0),
  orderId: 'o',
  userId: 'u',
  type: 'BUY',
  orderStatus: 'ALLOCATED',
  manualReviewCode: null,
  grams: '1',
  provider: 'safegold',
  providerTxId: '1',
  isOwn: true,
  isTraded: true,
  isUndecided: false,
  isUnderway: false,
  ...changes,
});

const untraded = { isTraded: false, orderStatus: 'FAILED' };
const reviewed = { isTraded: false, orderStatus: 'MANUAL_REVIEW' };

const table: readonly [string, Partial<TransactionRow>, readonly ProviderStatus[]][] = [
  ['an allocated buy', {}, otherThan('SUCCESS')],
  [
    'an allocated buy under review',
    { orderStatus: 'MANUAL_REVIEW', manualReviewCode: 'SECOND_CAPTURE' },
    otherThan('SUCCESS'),
  ],
  ['a given up confirm of an allocated buy', { isOwn: false }, ['SUCCESS']],
  ['a failed buy', untraded, ['SUCCESS']],
  ['a paid buy on its way', { ...untraded, orderStatus: 'PAID', isUnderway: true }, []],
  ['a paid buy that stands still', { ...untraded, orderStatus: 'PAID' }, ['SUCCESS']],
  ['one whose confirm is undecided', { ...untraded, isUndecided: true }, []],
  ['a review of its money', { ...reviewed, manualReviewCode: 'LATE_CAPTURE' }, ['SUCCESS']],
  ['a review of other grams', { ...reviewed, manualReviewCode: 'GRAMS_MISMATCH' }, []],
  [
    'a confirmed sale',
    { type: 'SELL', orderStatus: 'CONFIRMED' },
    otherThan('SUCCESS', 'IN_PROGRESS'),
  ],
  ['a failed sell', { ...untraded, type: 'SELL' }, ['SUCCESS', 'IN_PROGRESS']],
  ['a verified sale', { ...untraded, type: 'SELL', orderStatus: 'VERIFIED' }, []],
];

it.each(table)('%s disagrees with the provider where it should', (_what, changes, expected) => {
  const found = words.filter((word) => findTransactionProblem(row(changes), word) !== undefined);
  expect(found).toEqual(expected);
});

it('the check says where it was traded', () => {
  expect(findTransactionProblem(row({}), 'FAILED')).toBe('TRADED_HERE_ONLY');
  expect(findTransactionProblem(row(untraded), 'SUCCESS')).toBe('TRADED_THERE_ONLY');
});

describe('a balance', () => {
  const base = { since: new Date(0), userId: 'u', providerUserId: 'p', houseGrams: '0', total: 1 };
  const own = { ...base, expected: '2.00000000', openBuys: '0.5', openSales: '0.25' };

  it.each([
    ['200000000', true],
    ['250000000', true],
    ['175000000', true],
    ['250000001', false],
    ['174999999', false],
    ['0', false],
  ])('of %s units is expected: %s', (atProvider, expected) => {
    expect(isExpectedBalance(own, grams(BigInt(atProvider)))).toBe(expected);
  });
});
