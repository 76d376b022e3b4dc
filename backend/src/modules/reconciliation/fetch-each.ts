import { performance } from 'node:perf_hooks';
import { createTimers } from '../../platform/clock/timers.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';

/** Bounds the requests of one report to one collaborator. */
export interface FetchLimits {
  /** The maximum number of requests of one kind in one report. */
  readonly maxRequests: number;
  /** The maximum number of concurrent requests of one kind. */
  readonly concurrency: number;
  /** The real time in ms after which no further request of one kind starts. */
  readonly withinMs: number;
  /**
   * The real time in ms after which no further page of a list is requested. The default is
   * `withinMs`.
   */
  readonly listWithinMs?: number;
  /**
   * The number of requests that may start in a second. Absent if the collaborator has no such
   * limit.
   */
  readonly perSecond?: number;
  /** The number of our rows that are read at once. A window with more rows counts as large. */
  readonly pageRows?: number;
  /** The text that says how the rows that were not queried can be checked. */
  readonly restAdvice?: string;
}

/** A collaborator's response, or a text with the reason why there is none. */
export type Fetched<A> = { readonly answer: A } | string;

/**
 * Reads an outcome as an answer, or as the reason why there is none. A refusal whose code
 * `onRefused` handles is an answer too.
 */
export const toFetched = <T, A>(
  name: string,
  outcome: Outcome<T>,
  read: { onDone: (value: T) => A; onRefused: (code: string) => A | undefined },
): Fetched<A> => {
  if (outcome.kind === 'done') return { answer: read.onDone(outcome.value) };
  if (outcome.kind === 'unknown') return `${name} gave no answer: ${outcome.reason}`;
  const answer = isUnavailable(outcome) ? undefined : read.onRefused(outcome.code);
  return answer === undefined ? `${name} cannot be queried: ${outcome.code}` : { answer };
};

interface Answered<I, A> {
  readonly item: I;
  readonly answer: A;
}

interface FetchedAnswers<I, A> {
  readonly answers: readonly Answered<I, A>[];
  /** The reason why some items have no response. Absent if all have one. */
  readonly incomplete?: string;
}

/** Queries one collaborator, a few items at a time, until the limits are reached. */
export interface Fetcher<I, A> {
  /** Queries the items that the limits allow, and returns their answers. */
  fetch(items: readonly I[]): Promise<readonly Answered<I, A>[]>;
  /** Returns true if no further request will be sent. */
  hasStopped(): boolean;
  /**
   * Returns the reason why the collaborator did not answer a request. Returns undefined while it
   * answers all. After a request without an answer, no further request is sent.
   */
  silence(): string | undefined;
}

/** Creates a function that delays the starts of requests to at most `perSecond` a second. */
const createPace = (perSecond: number | undefined): (() => Promise<void>) => {
  if (perSecond === undefined) return () => Promise.resolve();
  const timers = createTimers();
  const gapMs = 1000 / perSecond;
  let next = performance.now();
  return () => {
    const now = performance.now();
    next = Math.max(next, now);
    const waitMs = next - now;
    next += gapMs;
    return waitMs > 0 ? timers.sleep(waitMs) : Promise.resolve();
  };
};

/** Creates the fetcher of one kind of request. Its time limit starts now. */
export const createFetcher = <I, A>(
  { maxRequests, concurrency, withinMs, perSecond }: FetchLimits,
  fetchAnswer: (item: I) => Promise<Fetched<A>>,
): Fetcher<I, A> => {
  const endsAt = performance.now() + withinMs;
  const pace = createPace(perSecond);
  let requests = 0;
  let isLate = false;
  let silence: string | undefined;
  const hasStopped = (): boolean => isLate || silence !== undefined || requests >= maxRequests;

  return {
    hasStopped,
    silence: () => silence,
    async fetch(items) {
      const answers: Answered<I, A>[] = [];
      const queue = items.values();
      const fetchQueued = async (): Promise<void> => {
        while (!hasStopped()) {
          const { value: item, done } = queue.next();
          if (done === true) return;
          requests += 1;
          await pace();
          const fetched = await fetchAnswer(item);
          if (typeof fetched === 'string') silence ??= fetched;
          else answers.push({ item, answer: fetched.answer });
          isLate ||= performance.now() > endsAt;
        }
      };
      await Promise.all(Array.from({ length: concurrency }, fetchQueued));
      return answers;
    },
  };
};

/** Describes how many of the rows were checked, and how the other rows can be checked. */
export const describeRest = (
  { checked, total }: { readonly checked: number; readonly total: number },
  { restAdvice = 'choose a shorter window' }: Pick<FetchLimits, 'restAdvice'>,
): string => `checked ${checked} of ${total}: ${restAdvice}`;

/**
 * Fetches an answer for each item, a few at a time, until the limits are reached. After a request
 * without an answer, no further request is sent. `items` may be only the first of `total` items.
 */
export const fetchEach = async <I, A>(
  { items, total }: { readonly items: readonly I[]; readonly total: number },
  limits: FetchLimits,
  fetchAnswer: (item: I) => Promise<Fetched<A>>,
): Promise<FetchedAnswers<I, A>> => {
  const fetcher = createFetcher(limits, fetchAnswer);
  const answers = await fetcher.fetch(items);
  const silence = fetcher.silence();
  if (silence !== undefined) return { answers, incomplete: silence };
  if (answers.length === total) return { answers };
  return { answers, incomplete: describeRest({ checked: answers.length, total }, limits) };
};
