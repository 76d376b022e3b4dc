import { z } from 'zod';
import { textOrDigits } from '../platform/http-client/index.ts';
import type { AdapterDeps, RowReading } from './adapter-deps.ts';

/** Describes how the rows of a list are read, and which of them are about the queried object. */
export interface RowRules<T> {
  readonly schema: z.ZodType<T>;
  /** The expected value of a row's `entity`, if the row has one. */
  readonly entity?: string;
  /** The queried object, and the field of a row that names it. */
  readonly about?: {
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
  /** The fields by which a row of a list of the whole account names its subject. */
  readonly names?: (row: Fields) => unknown;
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
  /** The subject that each unread row names. Null if it names none. */
  readonly unreadAbout: readonly (string | null)[];
  /** True if the list is about another object, so that it proves nothing about the queried one. */
  readonly isForeign: boolean;
}

const fields = z.record(z.string(), z.unknown());

const fieldsOf = (row: unknown): Fields => fields.safeParse(row).data ?? {};

/** Returns the text of an id or a state, or undefined for any other value. */
const nameOf = (value: unknown): string | undefined => {
  const text = textOrDigits.safeParse(value).data?.trim();
  return text === '' ? undefined : text;
};

/** Returns another member of a row, for what is named below it. */
export const within = (row: Fields, name: string): Fields => fieldsOf(row[name]);

type Verdict<T> =
  | { readonly kind: 'ours'; readonly row: T; readonly isOpen: boolean }
  | { readonly kind: 'another'; readonly isExpected: boolean; readonly isForeign: boolean }
  | { readonly kind: 'unread'; readonly paths: readonly string[]; readonly about: string | null };

const judge = <T>(
  given: unknown,
  { schema, entity, about, names, state }: RowRules<T>,
): Verdict<T> => {
  const row = fieldsOf(given);
  const parsed = schema.safeParse(given);
  const kind = nameOf(row['entity']);
  const isOtherKind = entity !== undefined && kind !== undefined && kind !== entity;
  const id = about === undefined ? undefined : nameOf(about.idOf(row));
  const isNamed = about !== undefined && id === about.id;
  const isOther = about !== undefined && !isNamed && (id !== undefined || about.isNamed === true);
  if (isOtherKind || isOther) {
    const isExpected = parsed.success && !isOtherKind && about?.isMixed === true;
    // A query that was not heeded shows by any row of another, readable or not.
    const isForeign = !isOtherKind && (parsed.success || about?.isNamed === true);
    return { kind: 'another', isExpected, isForeign };
  }
  if (!parsed.success) {
    const paths = parsed.error.issues.map(({ path }) => path.join('.'));
    return { kind: 'unread', paths, about: nameOf(names?.(row)) ?? null };
  }
  const name = state === undefined ? undefined : nameOf(state.of(row));
  const isOpen = state !== undefined && (name === undefined || !state.isKnown(name));
  return { kind: 'ours', row: parsed.data, isOpen };
};

/** Reads the rows of one list after the other. */
export type RowReader = <T>(
  operation: string,
  rows: readonly unknown[],
  rules: RowRules<T>,
) => ReadRows<T>;

/**
 * Creates the reader of a collaborator's lists. A row that can't be read does not affect the
 * others. Odd rows are counted, and logged in one warning per list, with the names of the odd
 * fields and never their values.
 */
export const createRowReader =
  (
    collaborator: string,
    { logger, observeRow }: Pick<AdapterDeps, 'logger' | 'observeRow'>,
  ): RowReader =>
  (operation, given, rules) => {
    const verdicts = given.map((row) => judge(row, rules));
    const ours = verdicts.flatMap((verdict) => (verdict.kind === 'ours' ? [verdict] : []));
    const others = verdicts.flatMap((verdict) => (verdict.kind === 'another' ? [verdict] : []));
    const unread = verdicts.flatMap((verdict) => (verdict.kind === 'unread' ? [verdict] : []));
    const counts = {
      left_out: others.filter(({ isExpected }) => !isExpected).length,
      open: ours.filter(({ isOpen }) => isOpen).length,
      unread: unread.length,
    } as const;
    const count = (reading: RowReading): void => {
      for (let at = 0; at < counts[reading]; at += 1) {
        observeRow?.({ collaborator, operation, reading });
      }
    };
    count('left_out');
    count('open');
    count('unread');
    if (counts.left_out + counts.open + counts.unread > 0) {
      const paths = [...new Set(unread.flatMap((row) => row.paths))].slice(0, 10);
      const told = { leftOut: counts.left_out, open: counts.open, unread: counts.unread, paths };
      logger.warn({ collaborator, operation, ...told }, 'a list has rows that cannot be read');
    }
    const isNarrow = rules.about !== undefined && rules.about.isMixed !== true;
    const isForeign =
      isNarrow && ours.length + unread.length === 0 && others.some((other) => other.isForeign);
    return {
      rows: ours.map(({ row }) => row),
      unread: unread.length,
      unreadAbout: unread.map((verdict) => verdict.about),
      isForeign,
    };
  };
