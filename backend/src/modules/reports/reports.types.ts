import type { Grams, Paise } from '../../money/index.ts';

/** Totals over all customers who are not deleted, and over all holdings. */
export interface Totals {
  readonly users: number;
  readonly blockedUsers: number;
  /** Customers with gold. */
  readonly holders: number;
  readonly grams: Grams;
  /** The part of `grams` that sales in progress and open reviews reserve. */
  readonly reserved: Grams;
  readonly investedPaise: Paise;
}

/** Work that waits for an operator or a collaborator now. */
export interface OpenWork {
  readonly kycSubmitted: number;
  readonly manualReview: number;
  readonly retryPending: number;
  readonly payoutsPending: number;
  readonly payoutsPendingPaise: Paise;
  readonly payoutsProcessing: number;
}

/** A day of the IST calendar, `YYYY-MM-DD`, with its figure. */
export interface DayOf<T> {
  readonly date: string;
  readonly value: T;
}
