import { CliError } from '../cli-error.ts';
import { definitionOf, type CheckId } from './check-table.ts';
import type { CheckRecord, CheckStatus } from './check.types.ts';

/** The page that explains every check; a test holds it and the table together. */
const page = 'cli/docs/checks.md';

interface Found {
  readonly status: CheckStatus;
  readonly detail: string;
  /** In place of the table's title, where there are several of the kind. */
  readonly title?: string;
  /** In place of the table's hint. */
  readonly hint?: string;
}

/** The record of what a check found. */
export const makeRecord = (id: CheckId, found: Found): CheckRecord => {
  const { category, title, hint } = definitionOf(id);
  const { status, detail } = found;
  return {
    id,
    category,
    title: found.title ?? title,
    status,
    detail,
    hint: status === 'ok' ? null : (found.hint ?? hint),
    anchor: `${page}#${id}`,
  };
};

/** What stands in the place of a look that ended in an error; anything else is thrown on. */
export const recordOfError = (
  id: CheckId,
  error: unknown,
  found: Pick<Found, 'title'> = {},
): CheckRecord => {
  if (!(error instanceof CliError)) throw error;
  const { message, hint } = error;
  return makeRecord(id, {
    ...found,
    status: 'unknown',
    detail: message,
    ...(hint !== undefined && { hint }),
  });
};
