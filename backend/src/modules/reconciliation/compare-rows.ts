import { toSample } from './findings.ts';
import type { CheckContext, Findings, Row, Sample } from './reconciliation.types.ts';
import { printOf, walkRows, type Walk } from './walk-rows.ts';

interface Comparison<R, A, P> extends Omit<Walk<R, A>, 'judge'> {
  /** Returns the problem of a row by the collaborator's response, or undefined if there is none. */
  readonly findProblem: (row: R, answer: A) => P | undefined;
  /** Returns true if a row agrees with a response that will not change by itself. */
  readonly isFinal: (row: R, answer: A) => boolean;
}

interface Wrong<R, A, P> {
  readonly row: R;
  readonly answer: A;
  readonly problem: P;
}

interface Compared<R, A, P> {
  /** The total number of rows to compare. */
  readonly total: number;
  readonly wrong: readonly Wrong<R, A, P>[];
  readonly incomplete?: string;
  readonly isSilent: boolean;
}

/**
 * Compares our rows with a collaborator's responses. No lock is held meanwhile, so a row that has
 * changed afterwards was in progress and is not a finding.
 */
export const compareRows = async <R extends object, A, P>(
  context: Pick<CheckContext, 'limits' | 'agreements'>,
  { findProblem, isFinal, ...walk }: Comparison<R, A, P>,
): Promise<Compared<R, A, P>> => {
  const wrong: Wrong<R, A, P>[] = [];
  const walked = await walkRows<R, A>(context, {
    ...walk,
    async judge(answers, page) {
      const suspects = answers.flatMap(({ item: row, answer }): Wrong<R, A, P>[] => {
        const problem = findProblem(row, answer);
        return problem === undefined ? [] : [{ row, answer, problem }];
      });
      const now = new Set(suspects.length === 0 ? [] : (await walk.list(page)).map(printOf));
      wrong.push(...suspects.filter(({ row }) => now.has(printOf(row))));
      return answers
        .filter(
          ({ item, answer }) => findProblem(item, answer) === undefined && isFinal(item, answer),
        )
        .map(({ item }) => item);
    },
  });
  return { ...walked, wrong };
};

/** Converts wrong rows to findings. `describe` adds columns to each. */
export const toFindings = <R extends Row, A, P extends string>(
  { wrong, incomplete }: Pick<Compared<R, A, P>, 'wrong' | 'incomplete'>,
  describe: (answer: A) => Sample,
): Findings => ({
  count: wrong.length,
  samples: wrong.map(({ row, answer, problem }) => ({
    problem,
    ...toSample(row),
    ...describe(answer),
  })),
  ...(incomplete !== undefined && { incomplete }),
});
