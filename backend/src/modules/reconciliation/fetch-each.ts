import { performance } from 'node:perf_hooks';
import { isUnavailable } from '../../platform/http-client/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';

/** Bounds the requests of one report to one collaborator. */
export interface FetchLimits {
  /** Requests of one kind in one report. */
  readonly most: number;
  /** Requests at a time. */
  readonly concurrency: number;
  /** Real time after which no further request starts. */
  readonly withinMs: number;
}

/** A collaborator's answer; a text says why there is none. */
export type Fetched<A> = { readonly answer: A } | string;

/**
 * Reads an outcome as an answer, also where the collaborator refused with a code that `onRefused`
 * understands, or as the reason for which there is none.
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

interface FetchedAnswers<I, A> {
  readonly answers: readonly { readonly item: I; readonly answer: A }[];
  /** The reason for which some items have no answer. */
  readonly incomplete?: string;
}

/**
 * Fetches an answer for each of the first items, a few at a time, until the limits. A collaborator
 * that gives no answer gets no further request. `total` is the number of items there are in all.
 */
export const fetchEach = async <I, A>(
  { items, total }: { readonly items: readonly I[]; readonly total: number },
  limits: FetchLimits,
  fetchAnswer: (item: I) => Promise<Fetched<A>>,
): Promise<FetchedAnswers<I, A>> => {
  const endsAt = performance.now() + limits.withinMs;
  const answers: { item: I; answer: A }[] = [];
  const waiting = items.slice(0, limits.most).values();
  let silence: string | undefined;

  const fetchNext = async (): Promise<void> => {
    for (const item of waiting) {
      const fetched = await fetchAnswer(item);
      if (typeof fetched === 'string') silence ??= fetched;
      else answers.push({ item, answer: fetched.answer });
      if (silence !== undefined || performance.now() > endsAt) return;
    }
  };

  await Promise.all(Array.from({ length: limits.concurrency }, fetchNext));
  if (silence !== undefined) return { answers, incomplete: silence };
  if (answers.length === total) return { answers };
  const incomplete = `checked ${answers.length} of ${total}: choose a shorter window`;
  return { answers, incomplete };
};
