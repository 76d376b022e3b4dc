import type { FetchLimits } from './fetch-each.ts';

/**
 * Returns the limits of a run, for which no request waits. The checks that call a collaborator run
 * concurrently, so a run of 30,000 orders takes less than two minutes.
 */
export const runLimitsOf = (perSecond: number): FetchLimits => ({
  maxRequests: 1_000_000,
  concurrency: 4,
  withinMs: 45_000,
  listWithinMs: 100_000,
  perSecond,
  restAdvice: 'the next runs check the rest',
});
