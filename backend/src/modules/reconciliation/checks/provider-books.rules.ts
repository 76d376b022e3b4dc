import type { ProviderTransactionStatus } from '../../../adapters/gold-provider/port.ts';
import { gramsFromDatabase, type Grams } from '../../../money/index.ts';
import type { BalanceRow, TransactionRow } from './provider-books.rows.ts';

/** The provider's word on a transaction; the last where it knows of none. */
export type ProviderWord = ProviderTransactionStatus | 'NO_SUCH_TRANSACTION';

export type TransactionProblem = 'TRADED_HERE_ONLY' | 'TRADED_THERE_ONLY';

/** Somebody or something finds out already: a confirm's outcome, a sell, other grams. */
const isLookedInto = (row: TransactionRow): boolean =>
  row.isUndecided ||
  row.isUnderway ||
  row.orderStatus === 'VERIFIED' ||
  (row.orderStatus === 'MANUAL_REVIEW' && row.manualReviewCode === 'GRAMS_MISMATCH');

/**
 * Holds a transaction of ours against the provider's word on it: what we say was traded was traded
 * there, and what was traded there is traded here or being found out.
 */
export const judgeTransaction = (
  row: TransactionRow,
  word: ProviderWord,
): TransactionProblem | undefined => {
  // A sell in progress there has left the customer's balance, and is not undone.
  const isTradedThere = word === 'SUCCESS' || (word === 'IN_PROGRESS' && row.type === 'SELL');
  if (row.isTraded && row.isOwn) return isTradedThere ? undefined : 'TRADED_HERE_ONLY';
  return isTradedThere && !isLookedInto(row) ? 'TRADED_THERE_ONLY' : undefined;
};

/** Whether the provider's balance of a customer is what our orders come to, open ones either way. */
export const isExpectedBalance = (row: BalanceRow, atProvider: Grams): boolean => {
  const expected = gramsFromDatabase(row.expected);
  const least = expected - gramsFromDatabase(row.openSells);
  const most = expected + gramsFromDatabase(row.openBuys);
  return atProvider >= least && atProvider <= most;
};
