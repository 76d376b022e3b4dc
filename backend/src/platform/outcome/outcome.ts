/**
 * The three outcomes of a call to a collaborator (contract: collaborators > Outcomes). `refused`
 * means that it certainly did not happen. `unknown` means that it may have happened. A query
 * resolves an unknown outcome, which is never treated as one of the other two.
 */
export type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/** Makes the outcome of a call that happened and returned `value`. */
export const done = <T>(value: T): Outcome<T> => ({ kind: 'done', value });

/**
 * Makes the outcome of a call that certainly did not happen. `code` is ours and stable, and
 * `message` is for logs.
 */
export const refused = (code: string, message: string): Outcome<never> => ({
  kind: 'refused',
  code,
  message,
});

/**
 * Makes an unknown outcome, after a timeout, a cut connection, a 5xx, or an empty or unreadable
 * response.
 */
export const unknown = (reason: string): Outcome<never> => ({ kind: 'unknown', reason });

/** Maps the value of a `done` outcome and leaves the others unchanged. */
export const mapDone = <A, B>(outcome: Outcome<A>, map: (value: A) => B): Outcome<B> =>
  outcome.kind === 'done' ? done(map(outcome.value)) : outcome;

const longestReason = 300;

/**
 * Describes an outcome like `describeOutcome`, and adds the collaborator's own reason to a refusal.
 * It is for operators, never for customers.
 */
export const explainOutcome = (outcome: Outcome<unknown>): string =>
  outcome.kind === 'refused'
    ? `refused: ${outcome.code}: ${outcome.message}`.slice(0, longestReason)
    : describeOutcome(outcome);

/**
 * Describes an outcome in a few words for a history row or a log line: `done` (or the value if it
 * is a text such as a status), `refused: CODE` or `unknown: reason`.
 */
export const describeOutcome = (outcome: Outcome<unknown>): string => {
  if (outcome.kind === 'done') return typeof outcome.value === 'string' ? outcome.value : 'done';
  return outcome.kind === 'refused' ? `refused: ${outcome.code}` : `unknown: ${outcome.reason}`;
};
