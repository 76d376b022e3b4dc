import { toSample } from './findings.ts';
import type { CheckContext, Findings, Row, Sample } from './reconciliation.types.ts';
import { fingerprintOf, walkRows, type Walk } from './walk-rows.ts';

interface Comparison<R, A, P> extends Omit<Walk<R, A>, 'judge'> {
  /** Returns the problem of a row by the collaborator's response, or undefined if there is none. */
  readonly findProblem: (row: R, answer: A) => P | undefined;
  /** Returns true if the agreement of a row with a response is final. */
  readonly isFinal: (row: R, answer: A) => boolean;
}

interface Mismatch<R, A, P> {
  readonly row: R;
  readonly answer: A;
  readonly problem: P;
}

interface Compared<R, A, P> {
  /** The total number of rows to compare. */
  readonly total: number;
  readonly mismatches: readonly Mismatch<R, A, P>[];
  /** The reason why some rows have no response. Absent if all have one. */
  readonly incomplete?: string;
  /** True if the reason is that the collaborator did not respond. */
  readonly isSilent: boolean;
}

/**
 * Compares our rows with a collaborator's responses. No lock is held during the queries, so a row
 * with a problem is read again after them. If it has changed, it was in progress and is not a
 * finding.
 */
export const compareRows = async <R extends object, A, P>(
  context: Pick<CheckContext, 'limits' | 'agreements'>,
  { findProblem, isFinal, ...walk }: Comparison<R, A, P>,
): Promise<Compared<R, A, P>> => {
  const mismatches: Mismatch<R, A, P>[] = [];
  const walked = await walkRows<R, A>(context, {
    ...walk,
    async judge(answers, page) {
      const suspects = answers.flatMap(({ item: row, answer }): Mismatch<R, A, P>[] => {
        const problem = findProblem(row, answer);
        return problem === undefined ? [] : [{ row, answer, problem }];
      });
      const current = suspects.length === 0 ? [] : await walk.list(page);
      const unchanged = new Set(current.map(fingerprintOf));
      mismatches.push(...suspects.filter(({ row }) => unchanged.has(fingerprintOf(row))));
      return answers
        .filter(
          ({ item, answer }) => findProblem(item, answer) === undefined && isFinal(item, answer),
        )
        .map(({ item }) => item);
    },
  });
  return { ...walked, mismatches };
};

/** Converts mismatches to findings. `describe` adds columns to each sample. */
export const toFindings = <R extends Row, A, P extends string>(
  { mismatches, incomplete }: Pick<Compared<R, A, P>, 'mismatches' | 'incomplete'>,
  describe: (answer: A) => Sample,
): Findings => ({
  count: mismatches.length,
  samples: mismatches.map(({ row, answer, problem }) => ({
    problem,
    ...toSample(row),
    ...describe(answer),
  })),
  ...(incomplete !== undefined && { incomplete }),
});
