import { unknown, type Outcome } from '../platform/outcome/outcome.ts';

/** The code of an answer about something else than the request: it proves nothing about ours. */
export const ANSWER_ABOUT_ANOTHER = 'ANSWER_ABOUT_ANOTHER';

/**
 * Accepts a response only if it matches the request: money, gold or an account of another customer
 * must never count as ours, and a response about something else does not show the outcome of our
 * request.
 */
export const checkAnswer = <T>(outcome: Outcome<T>, matches: (answer: T) => boolean): Outcome<T> =>
  outcome.kind === 'done' && !matches(outcome.value) ? unknown(ANSWER_ABOUT_ANOTHER) : outcome;
