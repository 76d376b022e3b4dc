import { performance } from 'node:perf_hooks';
import { isUnavailable } from '../../platform/http-client/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';

/** How far a report may go in asking one collaborator. */
export interface AskLimits {
  /** Questions of one kind in one report. */
  readonly most: number;
  /** Questions at a time. */
  readonly atATime: number;
  /** Real time after which no further question begins. */
  readonly withinMs: number;
}

/** What a question came to; a string says why there is no answer. */
export type Asked<A> = { readonly answer: A } | string;

/**
 * Reads an outcome: an answer, also where the collaborator said a no that `onRefused` understands,
 * or why there is none.
 */
export const toAsked = <T, A>(
  who: string,
  outcome: Outcome<T>,
  read: { onDone: (value: T) => A; onRefused: (code: string) => A | undefined },
): Asked<A> => {
  if (outcome.kind === 'done') return { answer: read.onDone(outcome.value) };
  if (outcome.kind === 'unknown') return `${who} gave no answer: ${outcome.reason}`;
  const answer = isUnavailable(outcome) ? undefined : read.onRefused(outcome.code);
  return answer === undefined ? `${who} can not be asked: ${outcome.code}` : { answer };
};

export interface Round<I, A> {
  readonly answers: readonly { readonly item: I; readonly answer: A }[];
  /** Why not all were asked. */
  readonly incomplete?: string;
}

/**
 * Asks about the first items, a few at a time, until the limits; a collaborator that gives no
 * answer is left alone at once. `total` is how many there are in all.
 */
export const askEach = async <I, A>(
  { items, total }: { readonly items: readonly I[]; readonly total: number },
  limits: AskLimits,
  ask: (item: I) => Promise<Asked<A>>,
): Promise<Round<I, A>> => {
  const endsAt = performance.now() + limits.withinMs;
  const answers: { item: I; answer: A }[] = [];
  const waiting = items.slice(0, limits.most).values();
  let silence: string | undefined;

  const askOn = async (): Promise<void> => {
    for (const item of waiting) {
      const asked = await ask(item);
      if (typeof asked === 'string') silence ??= asked;
      else answers.push({ item, answer: asked.answer });
      if (silence !== undefined || performance.now() > endsAt) return;
    }
  };

  await Promise.all(Array.from({ length: limits.atATime }, askOn));
  if (silence !== undefined) return { answers, incomplete: silence };
  if (answers.length === total) return { answers };
  const incomplete = `asked about ${answers.length} of ${total}: choose a shorter window`;
  return { answers, incomplete };
};
