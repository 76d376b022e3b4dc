import { z } from 'zod';
import { CliError, exitCodes } from '../cli-error.ts';
import { formatPaise } from '../io/money.ts';
import { renderPairs, renderTable } from '../io/output.ts';

const sample = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

const check = z.looseObject({
  id: z.string(),
  title: z.string(),
  severity: z.string(),
  status: z.enum(['OK', 'FINDINGS', 'ERROR']),
  count: z.int(),
  samples: z.array(sample),
  /** The reason for an ERROR. */
  detail: z.string().optional(),
});

/** The report of `GET /reconciliation` of the admin API. */
export const reportAnswer = z.looseObject({
  generatedAt: z.string(),
  windowHours: z.int(),
  summary: z.looseObject({ ok: z.int(), findings: z.int(), errors: z.int() }),
  checks: z.array(check),
});

/** The report as it is printed, with samples only if requested. */
export const reportOutput = reportAnswer.extend({
  checks: z.array(check.partial({ samples: true })),
});

type Report = z.infer<typeof reportAnswer>;
type ReportCheck = z.infer<typeof check>;
type Sample = z.infer<typeof sample>;

/**
 * Reduces the report to one check.
 * @throws CliError usage if there is no such check.
 */
export const onlyCheck = (report: Report, id: string): Report => {
  const found = report.checks.filter((known) => known.id === id);
  if (found.length === 0) {
    const names = report.checks.map((known) => known.id).join(', ');
    throw new CliError(`there is no check ${id}`, exitCodes.usage, `There are: ${names}.`);
  }
  const countOf = (wanted: ReportCheck['status']) =>
    found.filter(({ status }) => status === wanted).length;
  const summary = { ok: countOf('OK'), findings: countOf('FINDINGS'), errors: countOf('ERROR') };
  return { ...report, summary, checks: found };
};

/** Removes the samples, which name single rows. */
export const withoutSamples = ({ checks, ...report }: Report) => ({
  ...report,
  checks: checks.map(({ samples: _samples, ...rest }) => rest),
});

/** Returns the text of a status. An ERROR does not show if the books agree. */
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
  if (ok === all) return all === 1 ? 'The check agrees.' : `All ${all} checks agree.`;
  const found = findings === 0 ? [] : [`${findings} with findings`];
  const unknown = errors === 0 ? [] : [`${errors} could not be checked`];
  return `${ok} of ${all} checks agree; ${[...found, ...unknown].join(', ')}.`;
};

/** Renders the report for people, with the reasons for errors and, if requested, the samples. */
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
