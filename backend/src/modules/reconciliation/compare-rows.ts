import { fetchEach, type Fetched, type FetchLimits } from './fetch-each.ts';
import { toSample } from './findings.ts';
import type { Findings, Row, Sample } from './reconciliation.types.ts';

interface Listed {
  /** The number of rows in all, beyond those that were read. */
  readonly total: number;
}

interface Comparison<R extends Listed, A, P> {
  /** Lists the rows; called once more after the answers. */
  readonly list: () => Promise<readonly R[]>;
  readonly fetchAnswer: (row: R) => Promise<Fetched<A>>;
  /** Returns what is wrong with a row by the answer; undefined when nothing is. */
  readonly findProblem: (row: R, answer: A) => P | undefined;
}

interface Wrong<R, A, P> {
  readonly row: R;
  readonly answer: A;
  readonly problem: P;
}

interface Compared<R, A, P> {
  /** The number of rows to compare in all. */
  readonly total: number;
  readonly wrong: readonly Wrong<R, A, P>[];
  readonly incomplete?: string;
}

/** Prints a row, so that the same row prints the same whatever other rows there are. */
const printOf = (row: Listed): string =>
  JSON.stringify({ ...row, total: 0 }, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );

/**
 * Compares rows of ours with a collaborator's answers. No lock is held meanwhile, so a row that
 * reads otherwise afterwards was just being worked on: no finding.
 */
export const compareRows = async <R extends Listed, A, P>(
  limits: FetchLimits,
  { list, fetchAnswer, findProblem }: Comparison<R, A, P>,
): Promise<Compared<R, A, P>> => {
  const items = await list();
  const total = items[0]?.total ?? 0;
  const { answers, incomplete } = await fetchEach({ items, total }, limits, fetchAnswer);
  const suspects = answers.flatMap(({ item: row, answer }): Wrong<R, A, P>[] => {
    const problem = findProblem(row, answer);
    return problem === undefined ? [] : [{ row, answer, problem }];
  });
  const now = new Set(suspects.length === 0 ? [] : (await list()).map(printOf));
  return {
    total,
    wrong: suspects.filter(({ row }) => now.has(printOf(row))),
    ...(incomplete !== undefined && { incomplete }),
  };
};

/** Turns wrong rows into findings, each with what `describe` adds to its columns. */
export const toFindings = <R extends Row & Listed, A, P extends string>(
  { wrong, incomplete }: Compared<R, A, P>,
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
