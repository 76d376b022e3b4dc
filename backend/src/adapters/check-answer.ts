import { unknown, type Outcome } from '../platform/outcome/outcome.ts';

/**
 * The reason where an answer is about something else than the request: it proves nothing of ours.
 */
export const ANSWER_ABOUT_ANOTHER = 'ANSWER_ABOUT_ANOTHER';

/**
 * Accepts an answer only where it is about what was asked: money, gold or an account of another
 * must never count as ours, and what happened to ours is not known by it.
 */
export const checkAnswer = <T>(outcome: Outcome<T>, isAsked: (answer: T) => boolean): Outcome<T> =>
  outcome.kind === 'done' && !isAsked(outcome.value) ? unknown(ANSWER_ABOUT_ANOTHER) : outcome;
