import { sleep } from 'k6';
import type { Api } from '../lib/apis.ts';
import { forgedHeaders } from '../lib/client-addresses.ts';
import { hasLimitHeaders, hasRetryAfter, type LimitAnswer } from '../lib/limit-answer.ts';
import type { Observation } from '../thresholds/rate-limits.ts';
import type { ApiClient } from './api-client.ts';

interface SpendBudgetOptions {
  readonly api: Api;
  readonly windowSeconds: number;
  readonly client: ApiClient;
  /** The client's own address and one that it only pretends to have. */
  readonly addresses: { readonly own: string | undefined; readonly pretended: string };
  /** Another client, or none where a real hop makes all clients one. */
  readonly neighbour: ApiClient | undefined;
  /** Calls as the same client at another replica, with whether its count is the same. */
  readonly elsewhere: { readonly client: ApiClient; readonly isShared: boolean } | undefined;
  /** Names two addresses of one IPv6 client and one of the next, unless a real hop is there. */
  readonly ipv6: readonly [ApiClient, ApiClient, ApiClient] | undefined;
  /** Real time in ms. */
  readonly now: () => number;
  readonly observe: (name: Observation, holds: boolean) => void;
}

/** Requests beyond the limit. */
const beyond = 10;
/**
 * So long before the end of the window it must still be shut: `Retry-After` is rounded up, and a
 * busy machine asks late.
 */
const beforeResetSeconds = 3;
/** The part of the window that must be left for that when everything else is done. */
const sparedMs = 4000;

/** An answer of any kind: what failed on the way, or was refused, was not admitted. */
const isAdmitted = ({ status, isRefused }: LimitAnswer): boolean => status !== 0 && !isRefused;

/** The client, each of whose answers is held against failures of the API. */
const watched = (client: ApiClient, observe: SpendBudgetOptions['observe']): ApiClient => {
  const watch = (answer: LimitAnswer): LimitAnswer => {
    observe('answered_as_expected', answer.isExpected);
    return answer;
  };
  return {
    limited: (count) => client.limited(count).map(watch),
    limitedOnce: (headers) => watch(client.limitedOnce(headers)),
    exempt: (count) => client.exempt(count).map(watch),
  };
};

/**
 * Starts a window with its first request, after the rest of one that had begun already.
 * @returns when at the earliest it began, in ms.
 */
const openWindow = ({ api, client, now }: SpendBudgetOptions): number => {
  const firstAtMs = now();
  const first = client.limitedOnce();
  if (first.remaining === undefined || first.remaining === api.limit - 1) return firstAtMs;
  sleep((first.resetSeconds ?? 0) + 0.1);
  const openedAtMs = now();
  client.limitedOnce();
  return openedAtMs;
};

const tryExempt = ({ client, observe }: SpendBudgetOptions, count: number): void => {
  for (const answer of client.exempt(count)) {
    observe('exempt_never_refused', answer.status !== 0 && !answer.isRefused);
  }
};

/** Spends the rest of the window after `spent` requests, then sends more. */
const spend = (options: SpendBudgetOptions, spent: number): void => {
  const { api, windowSeconds, client, observe } = options;
  const within = client.limited(api.limit - spent);
  for (const answer of within) observe('admitted_within_limit', isAdmitted(answer));
  const more = client.limited(beyond);
  for (const answer of more) observe('refused_beyond_limit', answer.isRefused);
  const all = [...within, ...more];
  for (const answer of all) {
    observe('limit_headers', hasLimitHeaders(answer, api.limit, windowSeconds));
  }
  for (const answer of all.filter(({ isRefused }) => isRefused)) {
    observe('refusal_envelope', answer.errorCode === 'RATE_LIMITED');
    observe('refusal_retry_after', hasRetryAfter(answer, windowSeconds));
  }
};

const tryForgery = ({ client, addresses, observe }: SpendBudgetOptions): void => {
  for (const headers of forgedHeaders(addresses.pretended, addresses.own)) {
    observe('forged_address_refused', client.limitedOnce(headers).isRefused);
  }
};

const tryNeighbour = ({ api, neighbour, observe }: SpendBudgetOptions): void => {
  const answer = neighbour?.limitedOnce();
  if (answer === undefined) return;
  const { remaining = api.limit - 1 } = answer;
  observe('neighbour_untouched', isAdmitted(answer) && remaining === api.limit - 1);
};

/**
 * Sends requests to another replica: with the cache it shares the count, without it it counts by
 * itself.
 */
const tryElsewhere = ({ api, elsewhere, observe }: SpendBudgetOptions): void => {
  if (elsewhere === undefined) return;
  const answer = elsewhere.client.limitedOnce();
  const isWhole = isAdmitted(answer) && answer.remaining === api.limit - 1;
  observe('replicas_count_so', elsewhere.isShared ? answer.isRefused : isWhole);
};

/** Moves within one /56, whose addresses are one client, and then to the next one. */
const tryIpv6 = ({ api, ipv6, observe }: SpendBudgetOptions): void => {
  if (ipv6 === undefined) return;
  const left = ipv6.map((client) => client.limitedOnce().remaining);
  const expected = [1, 2, 1].map((spent) => api.limit - spent);
  observe(
    'ipv6_by_56',
    expected.every((remaining, index) => (left[index] ?? remaining) === remaining),
  );
};

/** Waits as long as the answer requires, and tries the door shortly before and right after. */
const awaitReset = ({ api, windowSeconds, client, observe }: SpendBudgetOptions): void => {
  const { retryAfterSeconds, resetSeconds } = client.limitedOnce();
  const waitSeconds = retryAfterSeconds ?? resetSeconds ?? windowSeconds;
  sleep(Math.max(0, waitSeconds - beforeResetSeconds));
  observe('shut_until_reset', client.limitedOnce().isRefused);
  sleep(beforeResetSeconds + 0.1);
  const answer = client.limitedOnce();
  const { remaining = api.limit - 1 } = answer;
  observe('window_reopened', isAdmitted(answer) && remaining === api.limit - 1);
};

/**
 * One client's life through a window: exempt requests that cost nothing, the budget to its end and
 * beyond, an address made up, a neighbour, and the next window. Takes a little over a window.
 */
export const spendBudget = (given: SpendBudgetOptions): void => {
  const { api, windowSeconds, observe } = given;
  const client = watched(given.client, observe);
  const neighbour = given.neighbour && watched(given.neighbour, observe);
  const elsewhere = given.elsewhere && {
    ...given.elsewhere,
    client: watched(given.elsewhere.client, observe),
  };
  const options = { ...given, client, neighbour, elsewhere };
  const openedAtMs = openWindow(options);
  tryExempt(options, api.limit + beyond);
  const afterExempt = client.limitedOnce();
  const { remaining = api.limit - 2 } = afterExempt;
  observe('exempt_not_counted', isAdmitted(afterExempt) && remaining === api.limit - 2);
  spend(options, 2);
  tryForgery(options);
  tryNeighbour(options);
  tryElsewhere(options);
  tryIpv6(options);
  tryExempt(options, api.exemptRequests.length);
  observe('spent_in_time', options.now() - openedAtMs < windowSeconds * 1000 - sparedMs);
  awaitReset(options);
};
