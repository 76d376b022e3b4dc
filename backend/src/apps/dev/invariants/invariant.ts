/** What must hold in the database at every moment, whatever happened before. */
export interface Invariant {
  /** As a sentence: it is what a failing test or the demo shows. */
  readonly name: string;
  /** Answers one row for each breach, with what is wrong in its text column `breach`. */
  readonly sql: string;
}

/** Runs one question; the rows are of the columns that the question names. */
export type AskDatabase = <Row>(sql: string) => Promise<readonly Row[]>;
