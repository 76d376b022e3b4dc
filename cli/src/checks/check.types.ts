import { CliError, exitCodes } from '../cli-error.ts';
import type { CheckCategory } from './check-categories.ts';
import type { Installation } from './installation.ts';

/**
 * `warning` is worth a look and stops nothing. `unknown` is what could not be found out although it
 * should have been. `not-run` needs an operator who is signed in, or another check already explains
 * it.
 */
export type CheckStatus = 'ok' | 'warning' | 'failed' | 'unknown' | 'not-run';

/** The result of a check for one item. A title and a hint replace the check's own. */
export interface Finding {
  readonly status: CheckStatus;
  readonly detail: string;
  readonly title?: string;
  readonly hint?: string | undefined;
}

/** A check. To add a check, add an entry to a list. */
export interface Check {
  /** Its heading in docs/checks.md too: `goldctl help checks ID` shows that part. */
  readonly id: string;
  readonly category: CheckCategory;
  readonly title: string;
  /** The advice for a failure. */
  readonly hint: string;
  /**
   * Returns a finding for each item that the check looked at. Returns none if the installation has
   * no such item. A CliError that it throws is reported as `unknown`.
   */
  readonly run: (installation: Installation) => Finding[] | Promise<Finding[]>;
}

/** A finding as it is shown. Findings of one check share its id. */
export interface CheckRecord {
  readonly id: string;
  readonly category: CheckCategory;
  readonly title: string;
  readonly status: CheckStatus;
  readonly detail: string;
  /** The advice for the operator, or null if there is nothing to do. */
  readonly hint: string | null;
  /** The command that shows the explanation of the check. */
  readonly anchor: string;
}

/** Returns the finding as a record. If it has no title or hint, the check's is used. */
export const toRecord = (check: Omit<Check, 'run'>, finding: Finding): CheckRecord => ({
  id: check.id,
  category: check.category,
  title: finding.title ?? check.title,
  status: finding.status,
  detail: finding.detail,
  hint: finding.status === 'ok' ? null : (finding.hint ?? check.hint),
  anchor: `goldctl help checks ${check.id}`,
});

/** Reports a check that ended in an error as `unknown`. @throws what no check may hide. */
export const unknownBecause = (error: unknown, title?: string): Finding => {
  if (!(error instanceof CliError) || error.exitCode === exitCodes.usage) throw error;
  const { message: detail, hint } = error;
  return { status: 'unknown', detail, hint, ...(title !== undefined && { title }) };
};

/** Returns true for records that make the command fail. */
export const isProblem = ({ status }: Pick<CheckRecord, 'status'>): boolean =>
  status === 'failed' || status === 'unknown';
