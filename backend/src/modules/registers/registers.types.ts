import type { Sql } from '../../platform/db/index.ts';

/** The reader of a register, as the API's guard admitted them. */
export interface RegisterReader {
  readonly portalUserId: string;
  readonly email: string;
  readonly role: string;
}

/** The permission that the guard requires. Files need `gold.export` besides. */
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

/** The moments of a period: `from` on, and before `until`. Open where one is missing. */
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
  /** Its key in JSON. */
  readonly name: string;
  readonly kind: ColumnKind;
  readonly value: Sql;
  /** It is added up over the whole filter. `value` then needs no lookups. */
  readonly isSummed: boolean;
}

/** Declares a register once: its pages, its totals and its files are made from this. */
export interface Register {
  /** The last part of its path. */
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
  /** The table whose rows it lists, and the alias that the rest uses. */
  readonly table: string;
  readonly alias: string;
  /** Restricts the table to the rows of the register. Returns undefined for all. */
  readonly condition?: Sql;
  /** The moment by which a row belongs to a day. Without one the register shows a period. */
  readonly moment?: Sql;
  /** The table's key, which breaks ties. */
  readonly key: Sql;
  /** Joins that summed columns need, one row for each. */
  readonly figures: (window: Window) => Sql;
  /** Joins for further columns, each with one row. */
  readonly lookups: Sql;
  readonly columns: readonly Column[];
  readonly isOfStatus: (status: string, window: Window) => Sql;
  /** Holds for the rows that an accountant's search names: ids, exactly. */
  readonly isFoundBy: (q: string) => Sql;
}

/** Declares a register whose few rows are worked out here, each value as text or null. */
export interface WorkedOutRegister {
  readonly name: 'provider-reconciliation';
  /** Figures, dates and times alone: no text, which a spreadsheet could take for a formula. */
  readonly columns: readonly Pick<Column, 'name' | 'kind'>[];
  readonly readRows: () => Promise<readonly RowValues[]>;
}

/** The values of a row in the order of the columns, as the database writes them. */
export type RowValues = readonly (string | null)[];
