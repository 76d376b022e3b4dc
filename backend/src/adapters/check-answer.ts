import { unknown, type Outcome } from '../platform/outcome/outcome.ts';

/** The reason of an unknown outcome whose response is about another object than the request. */
export const ANSWER_ABOUT_ANOTHER = 'ANSWER_ABOUT_ANOTHER';

/**
 * Returns a done outcome only if the response matches the request, and an unknown outcome otherwise.
 * A response about another object does not show the outcome of the request, and another customer's
 * money, gold or account must never be taken for the requested one.
 */
export const checkAnswer = <T>(outcome: Outcome<T>, matches: (answer: T) => boolean): Outcome<T> =>
  outcome.kind === 'done' && !matches(outcome.value) ? unknown(ANSWER_ABOUT_ANOTHER) : outcome;
