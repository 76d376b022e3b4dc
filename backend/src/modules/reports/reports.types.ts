import type { Grams, Paise } from '../../money/index.ts';

/** Totals over all customers who are not deleted, and over all holdings. */
export interface Totals {
  readonly users: number;
  readonly blockedUsers: number;
  /** The number of customers with gold. */
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

/** A figure of a day of the IST calendar. `date` is `YYYY-MM-DD`. */
export interface DayOf<T> {
  readonly date: string;
  readonly value: T;
}
