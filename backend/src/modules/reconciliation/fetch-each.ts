import { performance } from 'node:perf_hooks';
import { createTimers } from '../../platform/clock/timers.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';

/** Bounds the requests of one report to one collaborator. */
export interface FetchLimits {
  /** Requests of one kind in one report. */
  readonly most: number;
  /** Requests at a time. */
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
  /** The number of our rows that are read at once. A window with more is a large one. */
  readonly pageRows?: number;
  /** Describes what happens to the rows that were not queried. */
  readonly rest?: string;
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

/** Queries one collaborator about items, a few at a time, until the limits are reached. */
export interface Asking<I, A> {
  /** Returns the answers for the items that there was still room for. */
  ask(items: readonly I[]): Promise<readonly Answered<I, A>[]>;
  /** Returns true when no further query is made. */
  isOver(): boolean;
  /**
   * Returns the reason why a collaborator did not respond, if it did not. It gets no further
   * request.
   */
  silence(): string | undefined;
}

/** Spaces out the starts of requests, so that no more than so many begin in a second. */
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

/** Creates the queries of one kind. Their time limit starts now. */
export const createAsking = <I, A>(
  { most, concurrency, withinMs, perSecond }: FetchLimits,
  fetchAnswer: (item: I) => Promise<Fetched<A>>,
): Asking<I, A> => {
  const endsAt = performance.now() + withinMs;
  const pace = createPace(perSecond);
  let asked = 0;
  let isLate = false;
  let silence: string | undefined;
  const isOver = (): boolean => isLate || silence !== undefined || asked >= most;

  return {
    isOver,
    silence: () => silence,
    async ask(items) {
      const answers: Answered<I, A>[] = [];
      const waiting = items.values();
      const askNext = async (): Promise<void> => {
        while (!isOver()) {
          const { value: item, done } = waiting.next();
          if (done === true) return;
          asked += 1;
          await pace();
          const fetched = await fetchAnswer(item);
          if (typeof fetched === 'string') silence ??= fetched;
          else answers.push({ item, answer: fetched.answer });
          isLate ||= performance.now() > endsAt;
        }
      };
      await Promise.all(Array.from({ length: concurrency }, askNext));
      return answers;
    },
  };
};

/** Describes how many of the rows were checked, and what happens to the rest. */
export const describeRest = (
  { checked, total }: { readonly checked: number; readonly total: number },
  { rest = 'choose a shorter window' }: Pick<FetchLimits, 'rest'>,
): string => `checked ${checked} of ${total}: ${rest}`;

/**
 * Fetches an answer for each of the first items, a few at a time, until the limits. A collaborator
 * that gives no answer gets no further request. `total` is the number of items there are in all.
 */
export const fetchEach = async <I, A>(
  { items, total }: { readonly items: readonly I[]; readonly total: number },
  limits: FetchLimits,
  fetchAnswer: (item: I) => Promise<Fetched<A>>,
): Promise<FetchedAnswers<I, A>> => {
  const asking = createAsking(limits, fetchAnswer);
  const answers = await asking.ask(items);
  const silence = asking.silence();
  if (silence !== undefined) return { answers, incomplete: silence };
  if (answers.length === total) return { answers };
  return { answers, incomplete: describeRest({ checked: answers.length, total }, limits) };
};
