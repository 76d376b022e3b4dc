/** What must hold in the database at any moment; `sql` answers the rows for which it does not. */
export interface DatabaseRule {
  /** Its number in architecture, section 4. */
  readonly invariant: number;
  readonly says: string;
  readonly sql: string;
}
