import { createHash } from 'node:crypto';
import { createAsking, describeRest, type Fetched } from './fetch-each.ts';
import type { CheckContext } from './reconciliation.types.ts';

/**
 * A request for one page of rows: a limited number of rows after a key, or all rows up to a key.
 */
export interface RowsRequest {
  readonly after: string;
  readonly upTo?: string;
  readonly most: number;
}

/** Precedes the key of every row. */
const beforeAll = '';
const usualPageRows = 1000;

export interface Walk<R, A> {
  /** The kind of comparison, under which agreements are stored. */
  readonly kind: string;
  readonly collaborator: string;
  /** Lists rows in the order of their keys. */
  readonly list: (request: RowsRequest) => Promise<readonly R[]>;
  /** Returns the key of a row, which no other row has. */
  readonly keyOf: (row: R) => string;
  /**
   * Returns true for a row that agrees with a list of the collaborator, so that no query is needed.
   */
  readonly isListed?: (row: R) => boolean;
  readonly fetchAnswer: (row: R) => Promise<Fetched<A>>;
  /**
   * Compares the rows of one page with the responses. Returns the rows whose agreement is final.
   */
  readonly judge: (
    answers: readonly { readonly item: R; readonly answer: A }[],
    page: RowsRequest,
  ) => Promise<readonly R[]>;
}

interface Walked {
  /** The total number of rows. */
  readonly total: number;
  /** The reason why some rows have no response. Absent if all have one. */
  readonly incomplete?: string;
  /** True if the reason is that the collaborator did not respond. */
  readonly isSilent: boolean;
}

/** Prints a row, so that a row that has not changed prints the same. */
export const printOf = (row: object): string => {
  const text = JSON.stringify(row, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return createHash('sha256').update(text).digest('base64url');
};

/**
 * Walks over the rows of a window, page by page, and queries the collaborator about each. Rows that
 * agreed in an earlier run and have not changed since come last, if the limits allow, and not at
 * all in a large window. The scheduled runs together cover every row, however slowly the
 * collaborator answers.
 */
export const walkRows = async <R extends object, A>(
  { limits, agreements }: Pick<CheckContext, 'limits' | 'agreements'>,
  { kind, collaborator, list, keyOf, isListed, fetchAnswer, judge }: Walk<R, A>,
): Promise<Walked> => {
  const { pageRows = usualPageRows } = limits;
  const asking = createAsking(limits, fetchAnswer);
  const about = { kind, collaborator };
  let [after, total, checked, isLarge] = [beforeAll, 0, 0, false];
  for (;;) {
    const rows = await list({ after, most: pageRows });
    total += rows.length;
    isLarge ||= rows.length === pageRows;
    const last = rows.at(-1);
    if (last === undefined) break;
    const known = await agreements?.find(about, rows.map(keyOf));
    const isKnown = (row: R): boolean => known?.get(keyOf(row)) === printOf(row);
    const unlisted = rows.filter((row) => isListed?.(row) !== true);
    const waiting = unlisted.filter((row) => !isKnown(row));
    const again = isLarge ? [] : unlisted.filter(isKnown);
    const answers = await asking.ask([...waiting, ...again]);
    const answered = new Set(answers.map(({ item }) => item));
    checked += rows.length - waiting.filter((row) => !answered.has(row)).length;
    const agreed = await judge(answers, { after, upTo: keyOf(last), most: pageRows });
    if (agreed.length > 0) {
      const kept = agreed.map((row) => ({ subject: keyOf(row), print: printOf(row) }));
      await agreements?.keep(about, kept);
    }
    // The next run queries a row that disagrees now first.
    const doubted = again.filter((row) => answered.has(row) && !agreed.includes(row));
    await agreements?.forget(about, doubted.map(keyOf));
    if (rows.length < pageRows || asking.silence() !== undefined) break;
    after = keyOf(last);
  }
  const silence = asking.silence();
  if (silence !== undefined) return { total, incomplete: silence, isSilent: true };
  const incomplete = checked === total ? undefined : describeRest({ checked, total }, limits);
  return { total, isSilent: false, ...(incomplete !== undefined && { incomplete }) };
};
