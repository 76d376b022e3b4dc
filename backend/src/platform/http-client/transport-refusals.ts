import type { Outcome } from '../outcome/outcome.ts';

/** The breaker of this collaborator is open: nothing was sent. */
export const CIRCUIT_OPEN = 'CIRCUIT_OPEN';

/** No connection came about (refused, no route, unknown host): nothing was sent. */
export const NOT_SENT = 'NOT_SENT';

/** The collaborator turned the call away unread: 429. */
export const RATE_LIMITED = 'RATE_LIMITED';

/** The collaborator turned our credential away: 401 or 403. */
export const NOT_AUTHORISED = 'NOT_AUTHORISED';

const withoutAWord: ReadonlySet<string> = new Set([
  CIRCUIT_OPEN,
  NOT_SENT,
  RATE_LIMITED,
  NOT_AUTHORISED,
]);

/**
 * Returns whether a call was refused before the collaborator had read the request. Such a call
 * certainly did nothing, but proves as little about the request as an outage: the caller treats it
 * as "unavailable, may be tried again", not as the collaborator's refusal.
 */
export const isUnavailable = (outcome: Outcome<unknown>): boolean =>
  outcome.kind === 'refused' && withoutAWord.has(outcome.code);

/** The reason of an outcome that stayed unknown because the call's whole time had passed. */
export const TIMED_OUT = 'TIMED_OUT';
