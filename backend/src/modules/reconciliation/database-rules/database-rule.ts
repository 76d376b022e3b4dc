/** A rule that must hold in the database at all times. `sql` selects the rows that break it. */
export interface DatabaseRule {
  /** The number of the invariant that the rule checks. Several rules may check one invariant. */
  readonly invariant: number;
  readonly says: string;
  readonly sql: string;
}
