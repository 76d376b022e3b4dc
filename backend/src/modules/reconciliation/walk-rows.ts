import { createHash } from 'node:crypto';
import { createFetcher, describeRest, type Fetched } from './fetch-each.ts';
import type { CheckContext } from './reconciliation.types.ts';

/** A request for one page of rows, in the order of their keys. */
export interface RowsRequest {
  /** The key after which the page starts. */
  readonly after: string;
  /** The last key of the page. Absent if only `limit` ends the page. */
  readonly upTo?: string;
  readonly limit: number;
}

/** The key that precedes the key of every row. */
const startKey = '';
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
   * Compares the rows of one page with the responses. Returns the rows whose agreement is final,
   * because neither the row nor the response will normally change.
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

/** Returns the fingerprint of a row, which changes if any column of the row changes. */
export const fingerprintOf = (row: object): string => {
  const text = JSON.stringify(row, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return createHash('sha256').update(text).digest('base64url');
};

/**
 * Walks over the rows of a window, page by page, and queries the collaborator for each row. Rows that
 * agreed in an earlier run and have not changed since are queried last, if the limits allow. In a
 * large window they are not queried. Several scheduled runs together therefore cover every row, even
 * if the collaborator responds slowly.
 */
export const walkRows = async <R extends object, A>(
  { limits, agreements }: Pick<CheckContext, 'limits' | 'agreements'>,
  { kind, collaborator, list, keyOf, isListed, fetchAnswer, judge }: Walk<R, A>,
): Promise<Walked> => {
  const { pageRows = usualPageRows } = limits;
  const fetcher = createFetcher(limits, fetchAnswer);
  const comparison = { kind, collaborator };
  let [after, total, checked, isLarge] = [startKey, 0, 0, false];
  for (;;) {
    const rows = await list({ after, limit: pageRows });
    total += rows.length;
    isLarge ||= rows.length === pageRows;
    const last = rows.at(-1);
    if (last === undefined) break;
    const earlier = await agreements?.find(comparison, rows.map(keyOf));
    const hasAgreed = (row: R): boolean => earlier?.get(keyOf(row)) === fingerprintOf(row);
    const unlisted = rows.filter((row) => isListed?.(row) !== true);
    const unchecked = unlisted.filter((row) => !hasAgreed(row));
    const repeated = isLarge ? [] : unlisted.filter(hasAgreed);
    const answers = await fetcher.fetch([...unchecked, ...repeated]);
    const answered = new Set(answers.map(({ item }) => item));
    checked += rows.length - unchecked.filter((row) => !answered.has(row)).length;
    const agreed = await judge(answers, { after, upTo: keyOf(last), limit: pageRows });
    if (agreed.length > 0) {
      const kept = agreed.map((row) => ({ subject: keyOf(row), fingerprint: fingerprintOf(row) }));
      await agreements?.keep(comparison, kept);
    }
    // The next run queries a row first if its earlier agreement no longer holds.
    const outdated = repeated.filter((row) => answered.has(row) && !agreed.includes(row));
    await agreements?.forget(comparison, outdated.map(keyOf));
    if (rows.length < pageRows || fetcher.silence() !== undefined) break;
    after = keyOf(last);
  }
  const silence = fetcher.silence();
  if (silence !== undefined) return { total, incomplete: silence, isSilent: true };
  const incomplete = checked === total ? undefined : describeRest({ checked, total }, limits);
  return { total, isSilent: false, ...(incomplete !== undefined && { incomplete }) };
};
