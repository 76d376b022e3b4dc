import type { AdminReport, ReadinessItem } from './admin-report.ts';
import { checkIds, definitionOf, isCheckId, type CheckId } from './check-table.ts';
import type { CheckCategory, CheckRecord, CheckStatus } from './check.types.ts';
import { makeRecord } from './make-record.ts';

const statuses: Readonly<Record<ReadinessItem['status'], CheckStatus>> = {
  PASS: 'ok',
  FAIL: 'failed',
  UNKNOWN: 'unknown',
};

/** The report's ids have underscores. */
const idOf = ({ id }: ReadinessItem): string => id.replaceAll('_', '-');

const recordOf = (item: ReadinessItem): CheckRecord => {
  const found = { status: statuses[item.status], detail: item.detail };
  const id = idOf(item);
  if (isCheckId(id)) return makeRecord(id, found);
  // An item of a newer service than this goldctl.
  return makeRecord('readiness-item', { ...found, title: `${item.id}: ${item.title}` });
};

const reportCategories: ReadonlySet<CheckCategory> = new Set(['collaborators', 'business']);

/** What the report is known to name, but for what the table keeps for newer items. */
const expected = checkIds.filter(
  (id) => reportCategories.has(definitionOf(id).category) && id !== 'readiness-item',
);

const explained = (report: Exclude<AdminReport, { kind: 'told' }>): string =>
  report.kind === 'signed-out' ? 'Only an operator may ask.' : 'The admin API did not tell.';

/** The collaborators and the business readiness, as the admin API reports them. */
export const readinessRecords = (report: AdminReport): CheckRecord[] => {
  if (report.kind !== 'told') {
    const hint = definitionOf('operator-signed-in').hint;
    return expected.map((id) =>
      makeRecord(id, { status: 'not-run', detail: explained(report), hint }),
    );
  }
  const records = report.items.map(recordOf);
  const told = new Set<string>(records.map(({ id }) => id));
  const missing = expected.filter((id) => !told.has(id));
  return [
    ...records.filter(({ category }) => reportCategories.has(category)),
    ...missing.map((id) =>
      makeRecord(id, { status: 'not-run', detail: 'The report does not name it.' }),
    ),
  ];
};

/** The report's own word on one check; undefined where it has none. */
export const findInReport = (report: AdminReport, id: CheckId): CheckRecord | undefined => {
  if (report.kind !== 'told') return undefined;
  const item = report.items.find((one) => idOf(one) === id);
  return item === undefined ? undefined : recordOf(item);
};

const signInStatus = {
  told: 'ok',
  'signed-out': 'not-run',
  refused: 'failed',
  unavailable: 'unknown',
} as const satisfies Record<AdminReport['kind'], CheckStatus>;

/** Whether the admin API takes an operator's credentials. */
export const signInRecord = (report: AdminReport): CheckRecord => {
  const status = signInStatus[report.kind];
  if (report.kind === 'told') {
    return makeRecord('operator-signed-in', { status, detail: 'The admin API told its report.' });
  }
  const { detail, hint } = report;
  return makeRecord('operator-signed-in', { status, detail, ...(hint !== undefined && { hint }) });
};
