import type { FetchLimits } from './fetch-each.ts';

/**
 * A run of 30,000 orders takes less than two minutes, because lists and queries run concurrently.
 */
export const runLimitsOf = (perSecond: number): FetchLimits => ({
  most: 1_000_000,
  concurrency: 4,
  withinMs: 45_000,
  listWithinMs: 100_000,
  perSecond,
  rest: 'the next runs ask about the rest',
});
