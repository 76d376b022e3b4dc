import { z } from 'zod';
import { textOrDigits } from '../platform/http-client/index.ts';
import type { AdapterDeps, RowReading } from './adapter-deps.ts';

/** Describes how the rows of a list are read, and which of them are about the queried object. */
export interface RowRules<T> {
  readonly schema: z.ZodType<T>;
  /** The expected value of a row's `entity`, if the row has one. */
  readonly entity?: string;
  /** The queried object, and the field of a row that names the row's object. */
  readonly subject?: {
    readonly id: string;
    readonly idOf: (row: Fields) => unknown;
    /**
     * True for a list of a whole account or order, which may contain rows about other objects. If
     * it is false, a list that only has such rows does not answer the query.
     */
    readonly isMixed?: boolean;
    /**
     * True for a list of the whole account, or a list that only a query parameter narrows. A row
     * that names no object is then not about the queried object.
     */
    readonly isNamed?: boolean;
  };
  /** Returns the field that names the object of a row, for a list of the whole account. */
  readonly subjectOf?: (row: Fields) => unknown;
  /** The known states, and the field of a row that names its state. */
  readonly state?: {
    readonly of: (row: Fields) => unknown;
    readonly isKnown: (name: string) => boolean;
  };
}

type Fields = Readonly<Record<string, unknown>>;

interface ReadRows<T> {
  /** The rows that can be read, in the order of the list. */
  readonly rows: readonly T[];
  /** The number of rows that may be about the queried object and can't be read. */
  readonly unread: number;
  /** The object that each unread row names. Null for a row that names none. */
  readonly unreadSubjects: readonly (string | null)[];
  /** True if the list is about another object, so that it shows nothing about the queried object. */
  readonly isForeign: boolean;
}

const fields = z.record(z.string(), z.unknown());

const fieldsOf = (row: unknown): Fields => fields.safeParse(row).data ?? {};

/** Returns the text of an id or a state, or undefined for any other value. */
const nameOf = (value: unknown): string | undefined => {
  const text = textOrDigits.safeParse(value).data?.trim();
  return text === '' ? undefined : text;
};

/** Returns a nested object of a row. It is empty if the row has none. */
export const within = (row: Fields, name: string): Fields => fieldsOf(row[name]);

type Verdict<T> =
  | { readonly kind: 'ours'; readonly row: T; readonly isOpen: boolean }
  | { readonly kind: 'another'; readonly isExpected: boolean; readonly isForeign: boolean }
  | { readonly kind: 'unread'; readonly paths: readonly string[]; readonly subject: string | null };

const readRow = <T>(
  given: unknown,
  { schema, entity, subject, subjectOf, state }: RowRules<T>,
): Verdict<T> => {
  const row = fieldsOf(given);
  const parsed = schema.safeParse(given);
  const kind = nameOf(row['entity']);
  const isOtherKind = entity !== undefined && kind !== undefined && kind !== entity;
  const id = subject === undefined ? undefined : nameOf(subject.idOf(row));
  const isNamed = subject !== undefined && id === subject.id;
  const isOther =
    subject !== undefined && !isNamed && (id !== undefined || subject.isNamed === true);
  if (isOtherKind || isOther) {
    const isExpected = parsed.success && !isOtherKind && subject?.isMixed === true;
    // If the server ignored the query, even an unreadable row of another object shows that.
    const isForeign = !isOtherKind && (parsed.success || subject?.isNamed === true);
    return { kind: 'another', isExpected, isForeign };
  }
  if (!parsed.success) {
    const paths = parsed.error.issues.map(({ path }) => path.join('.'));
    return { kind: 'unread', paths, subject: nameOf(subjectOf?.(row)) ?? null };
  }
  const name = state === undefined ? undefined : nameOf(state.of(row));
  const isOpen = state !== undefined && (name === undefined || !state.isKnown(name));
  return { kind: 'ours', row: parsed.data, isOpen };
};

/** Reads the rows of a list. */
export type RowReader = <T>(
  operation: string,
  rows: readonly unknown[],
  rules: RowRules<T>,
) => ReadRows<T>;

/**
 * Creates the reader of a collaborator's lists. A row that can't be read does not affect the other
 * rows. Unexpected rows are counted. A list with such rows is logged in one warning, with the names of
 * the unreadable fields and never their values.
 */
export const createRowReader =
  (
    collaborator: string,
    { logger, observeRow }: Pick<AdapterDeps, 'logger' | 'observeRow'>,
  ): RowReader =>
  (operation, given, rules) => {
    const verdicts = given.map((row) => readRow(row, rules));
    const ours = verdicts.flatMap((verdict) => (verdict.kind === 'ours' ? [verdict] : []));
    const others = verdicts.flatMap((verdict) => (verdict.kind === 'another' ? [verdict] : []));
    const unread = verdicts.flatMap((verdict) => (verdict.kind === 'unread' ? [verdict] : []));
    const counts = {
      left_out: others.filter(({ isExpected }) => !isExpected).length,
      open: ours.filter(({ isOpen }) => isOpen).length,
      unread: unread.length,
    } as const;
    const count = (reading: RowReading): void => {
      for (let counted = 0; counted < counts[reading]; counted += 1) {
        observeRow?.({ collaborator, operation, reading });
      }
    };
    count('left_out');
    count('open');
    count('unread');
    if (counts.left_out + counts.open + counts.unread > 0) {
      const paths = [...new Set(unread.flatMap((row) => row.paths))].slice(0, 10);
      const summary = { leftOut: counts.left_out, open: counts.open, unread: counts.unread, paths };
      logger.warn({ collaborator, operation, ...summary }, 'a list has rows that cannot be read');
    }
    const isNarrow = rules.subject !== undefined && rules.subject.isMixed !== true;
    const isForeign =
      isNarrow && ours.length + unread.length === 0 && others.some((other) => other.isForeign);
    return {
      rows: ours.map(({ row }) => row),
      unread: unread.length,
      unreadSubjects: unread.map(({ subject }) => subject),
      isForeign,
    };
  };
