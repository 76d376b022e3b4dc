import type { Sql } from '../../platform/db/index.ts';

/** The reader of a register, as the API's guard admitted them. */
export interface RegisterReader {
  readonly portalUserId: string;
  readonly email: string;
  readonly role: string;
}

/** The moments that IST dates stand for: from `from` on, before `until`. Open where there is none. */
export interface Window {
  readonly from?: Date | undefined;
  readonly until?: Date | undefined;
}

export interface RegisterFilter extends Window {
  readonly status?: string | undefined;
  readonly q?: string | undefined;
}

/**
 * The kind of a column decides its form on the wire and in a file. `name` is a person's name, of
 * which only initials leave the service; `money` is paise.
 */
export type ColumnKind = 'text' | 'name' | 'date' | 'time' | 'money' | 'grams' | 'count';

/** A column of a register: a name, a kind, and the SQL of its value. */
export interface Column {
  /** Its key in JSON; money ends in `Paise`. */
  readonly name: string;
  readonly kind: ColumnKind;
  readonly value: Sql;
  /** Summed over the whole filter: `value` uses only `base` and `figures` of the register then. */
  readonly isSummed?: boolean;
}

/** A register, declared once: its page, its totals and its files are made from this. */
export interface Register {
  readonly name: string;
  readonly permission: string;
  readonly summary: string;
  readonly statuses: readonly string[];
  /** The table and its alias, such as `gold_order o`. */
  readonly base: Sql;
  /** The conditions that make a row of the table one of the register. */
  readonly conditions: readonly Sql[];
  /** The moment by which a row belongs to a day; null where the register has no such moment. */
  readonly moment: Sql | null;
  /** The key of the table, which breaks ties. */
  readonly key: Sql;
  /** Joins that figures need; each gives a row of the base one row. */
  readonly figures: (filter: RegisterFilter) => Sql;
  /** Joins for what is shown beside the figures. */
  readonly lookups: Sql;
  readonly columns: readonly Column[];
  readonly statusIs: (status: string, filter: RegisterFilter) => Sql;
  /** The rows that an accountant's search names. */
  readonly matches: (q: string) => Sql;
}

/** A row as the database gives it: every value as text. */
export type RegisterRow = Readonly<Record<string, string | null>>;
