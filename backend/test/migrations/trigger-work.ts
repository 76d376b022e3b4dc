import type { LegalRows } from './legal-rows.ts';
import type { Row } from './rows.ts';

/** A row to be added, or a statement, of rows that are there. */
export type Work =
  | { readonly table: string; readonly row: Row }
  | { readonly sql: string; readonly values: readonly unknown[] };

/** A trigger, what lets it run, and the tables that it writes, or its refusal. */
export interface TriggerCase {
  readonly name: string;
  readonly table: string;
  readonly work: (legal: LegalRows) => readonly Work[];
  readonly writes?: readonly string[];
  readonly refuses?: RegExp;
}

export const at = '2026-11-21T09:00:00.000Z';

/** A row that the work adds. */
export const add = (table: string, row: Row): Work => ({ table, row });

/** A statement that the work runs. */
export const run = (sql: string, ...values: readonly unknown[]): Work => ({ sql, values });
