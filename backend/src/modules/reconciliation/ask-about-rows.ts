import { askEach, type AskLimits, type Asked } from './ask-each.ts';
import { toSample } from './find-rows.ts';
import type { Findings, Row, Sample } from './reconciliation.types.ts';

/** What a row about which a collaborator is asked has besides its own. */
interface Listed {
  /** How many there are in all. */
  readonly total: number;
}

export interface Questions<R extends Listed, A, P> {
  /** The rows; read once more after the answers. */
  readonly list: () => Promise<readonly R[]>;
  readonly ask: (row: R) => Promise<Asked<A>>;
  /** What is wrong with a row by the answer; undefined when nothing is. */
  readonly judge: (row: R, answer: A) => P | undefined;
}

export interface Wrong<R, A, P> {
  readonly row: R;
  readonly answer: A;
  readonly problem: P;
}

export interface Judged<R, A, P> {
  /** How many rows there were to ask about. */
  readonly total: number;
  readonly wrong: readonly Wrong<R, A, P>[];
  readonly incomplete?: string;
}

/** The same text for the same row, whatever else there is. */
const printOf = (row: Listed): string =>
  JSON.stringify({ ...row, total: 0 }, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );

/**
 * Asks a collaborator about rows of ours and judges them by the answers. No lock is held
 * meanwhile, so a row that reads otherwise afterwards was just being dealt with: no finding.
 */
export const askAboutRows = async <R extends Listed, A, P>(
  limits: AskLimits,
  { list, ask, judge }: Questions<R, A, P>,
): Promise<Judged<R, A, P>> => {
  const items = await list();
  const total = items[0]?.total ?? 0;
  const { answers, incomplete } = await askEach({ items, total }, limits, ask);
  const suspects = answers.flatMap(({ item: row, answer }): Wrong<R, A, P>[] => {
    const problem = judge(row, answer);
    return problem === undefined ? [] : [{ row, answer, problem }];
  });
  const now = new Set(suspects.length === 0 ? [] : (await list()).map(printOf));
  return {
    total,
    wrong: suspects.filter(({ row }) => now.has(printOf(row))),
    ...(incomplete !== undefined && { incomplete }),
  };
};

/** Wrong rows as findings, each with what is said of it besides its columns. */
export const toFindings = <R extends Row & Listed, A, P extends string>(
  { wrong, incomplete }: Judged<R, A, P>,
  say: (answer: A) => Sample,
): Findings => ({
  count: wrong.length,
  samples: wrong.map(({ row, answer, problem }) => ({
    problem,
    ...toSample(row),
    ...say(answer),
  })),
  ...(incomplete !== undefined && { incomplete }),
});
