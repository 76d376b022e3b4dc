import { formatPaise } from '../io/money.ts';
import { renderPairs, renderTable } from '../io/output.ts';
import type { Report, ReportCheck, Sample } from './report.ts';

/** An ERROR says nothing of the books: neither that they agree nor that they do not. */
const statusOf = ({ status, count }: ReportCheck): string => {
  if (status === 'FINDINGS') return `${count} ${count === 1 ? 'finding' : 'findings'}`;
  return status === 'ERROR' ? 'NOT CHECKED' : 'OK';
};

const cellOf = (name: string, value: Sample[string] | undefined): string => {
  if (value === undefined || value === null) return '-';
  return typeof value === 'number' && name.endsWith('Paise') ? formatPaise(value) : String(value);
};

const samplesOf = ({ id, count, samples }: ReportCheck): string => {
  const names = [...new Set(samples.flatMap((sample) => Object.keys(sample)))];
  const rows = samples.map((sample) => names.map((name) => cellOf(name, sample[name])));
  const shown = samples.length < count ? ` (${samples.length} of ${count})` : '';
  return `${id}${shown}\n${renderTable(names, rows)}`;
};

const lastLine = ({ summary: { ok, findings, errors } }: Report): string => {
  const all = ok + findings + errors;
  if (ok === all) return `All ${all} checks agree.`;
  const found = findings === 0 ? [] : [`${findings} with findings`];
  const unknown = errors === 0 ? [] : [`${errors} could not be checked`];
  return `${ok} of ${all} checks agree; ${[...found, ...unknown].join(', ')}.`;
};

/** The report for people: a line for each check, why what was not checked was not, samples. */
export const renderReport = (report: Report, options: { readonly samples: boolean }): string => {
  const { checks } = report;
  const table = renderTable(
    ['check', 'severity', 'status', 'about'],
    checks.map((check) => [check.id, check.severity, statusOf(check), check.title]),
  );
  const unknown = checks
    .filter(({ status }) => status === 'ERROR')
    .map(({ id, detail }) => [id, detail ?? 'no reason given'] as const);
  return [
    `Books of the last ${report.windowHours} hours, at ${report.generatedAt}`,
    table,
    ...(unknown.length === 0 ? [] : [`Not checked, so nothing is known:\n${renderPairs(unknown)}`]),
    ...(options.samples
      ? checks.filter(({ samples }) => samples.length > 0).map((check) => samplesOf(check))
      : []),
    lastLine(report),
  ].join('\n\n');
};
