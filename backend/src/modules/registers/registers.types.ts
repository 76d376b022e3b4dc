import type { Sql } from '../../platform/db/index.ts';

/** The reader of a register, as the API's guard admitted them. */
export interface RegisterReader {
  readonly portalUserId: string;
  readonly email: string;
  readonly role: string;
}

/** The permission that the guard requires. A file also needs `gold.export`. */
export type RegisterPermission =
  | 'gold.summary.read'
  | 'gold.buys.read'
  | 'gold.sells.read'
  | 'gold.holdings.read'
  | 'gold.payments.read'
  | 'gold.payouts.read'
  | 'gold.reconciliation.read'
  | 'gold.policy.read'
  | 'gold.statutory.read'
  | 'gold.month_end.read'
  | 'gold.export';

/** A period from `from` on and before `until`. If an end is missing, the period has no such limit. */
export interface Window {
  readonly from?: Date | undefined;
  readonly until?: Date | undefined;
}

export interface RegisterFilter extends Window {
  readonly status?: string | undefined;
  readonly q?: string | undefined;
}

/**
 * Decides the form of a column on the wire and in a file. `name` is a person's name, of which only
 * initials leave the service. `money` is paise, and its column's name ends in `Paise`.
 */
export type ColumnKind = 'text' | 'name' | 'date' | 'time' | 'money' | 'grams' | 'count';

export interface Column {
  /** The name of the column in JSON. */
  readonly name: string;
  readonly kind: ColumnKind;
  readonly value: Sql;
  /** True if the totals have the sum of the column. `value` must then not use `lookups`. */
  readonly isSummed: boolean;
}

/** The declaration of a register, from which its pages, totals and files are made. */
export interface Register {
  /** The last part of the register's path. */
  readonly name:
    | 'buys'
    | 'sells'
    | 'holdings'
    | 'payments'
    | 'payouts'
    | 'product-sales'
    | 'policy-determinations'
    | 'statutory-parameters'
    | 'month-end-close';
  readonly permission: RegisterPermission;
  readonly summary: string;
  readonly statuses: readonly [string, ...string[]];
  /** The table whose rows the register lists. */
  readonly table: string;
  /** The alias of the table in all SQL of the register. */
  readonly alias: string;
  /** Matches the rows of the table that belong to the register. Absent if all rows do. */
  readonly condition?: Sql;
  /** The moment by which a row belongs to a day. Absent if a row shows a whole period. */
  readonly moment?: Sql;
  /** The table's key, which orders rows of the same moment. */
  readonly key: Sql;
  /** The joins that summed columns need. Each joins at most one row. */
  readonly figures: (window: Window) => Sql;
  /** The joins that other columns need. Each joins at most one row. */
  readonly lookups: Sql;
  readonly columns: readonly Column[];
  readonly isOfStatus: (status: string, window: Window) => Sql;
  /** Matches the rows that have the search text as an id or reference. */
  readonly isFoundBy: (q: string) => Sql;
}

/** The declaration of a register whose few rows are computed in the process and not by SQL. */
export interface ComputedRegister {
  readonly name: 'provider-reconciliation';
  /** Columns of figures, dates and times. A text is not allowed, since it could be a formula. */
  readonly columns: readonly Pick<Column, 'name' | 'kind'>[];
  readonly readRows: () => Promise<readonly RowValues[]>;
}

/** The values of a row in the order of the columns, as the database writes them. */
export type RowValues = readonly (string | null)[];
