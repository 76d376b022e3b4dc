import { CliError, exitCodes } from '../cli-error.ts';
import type { CheckCategory } from './check-categories.ts';
import type { Installation } from './installation.ts';

/**
 * The statuses of a check.
 *
 * * `warning` means that an operator should look at it, but the service works.
 * * `unknown` means that the check could not be made although it should have been possible.
 * * `not-run` means that the check needs a signed-in operator, or that another check explains it.
 */
export type CheckStatus = 'ok' | 'warning' | 'failed' | 'unknown' | 'not-run';

/** The result of a check for one item. Its title and hint replace those of the check. */
export interface Finding {
  readonly status: CheckStatus;
  readonly detail: string;
  readonly title?: string;
  readonly hint?: string | undefined;
}

/** A check. All checks are in lists, so a new check is a new entry. */
export interface Check {
  /** The id, which is also the heading in docs/checks.md that `goldctl help checks ID` shows. */
  readonly id: string;
  readonly category: CheckCategory;
  readonly title: string;
  /** The advice for a failure. */
  readonly hint: string;
  /**
   * Returns a finding for each checked item. Returns none if the installation has no such item. A
   * CliError that it throws is reported as `unknown`.
   */
  readonly run: (installation: Installation) => Finding[] | Promise<Finding[]>;
}

/** A finding with all values that are shown. Findings of one check have the same id. */
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

/** Converts a finding to a record. If it has no title or hint, that of the check is used. */
export const toRecord = (check: Omit<Check, 'run'>, finding: Finding): CheckRecord => ({
  id: check.id,
  category: check.category,
  title: finding.title ?? check.title,
  status: finding.status,
  detail: finding.detail,
  hint: finding.status === 'ok' ? null : (finding.hint ?? check.hint),
  anchor: `goldctl help checks ${check.id}`,
});

/**
 * Returns the finding `unknown` for a check that ended in an error.
 * @throws the error if it is a wrong command line or not a CliError
 */
export const unknownBecause = (error: unknown, title?: string): Finding => {
  if (!(error instanceof CliError) || error.exitCode === exitCodes.usage) throw error;
  const { message: detail, hint } = error;
  return { status: 'unknown', detail, hint, ...(title !== undefined && { title }) };
};

/** Returns true for records that make the command fail. */
export const isProblem = ({ status }: Pick<CheckRecord, 'status'>): boolean =>
  status === 'failed' || status === 'unknown';
