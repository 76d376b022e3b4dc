import type { Report, SummaryData, Verdict } from './report.types.ts';
import { metricKey, type Rule } from './rules.ts';

/** A measured value without a threshold. */
interface Figure {
  readonly metric: string;
  readonly says: string;
}

const whole = (value: number | undefined): string => String(Math.round(value ?? 0));

const observed = (metric: SummaryData['metrics'][string] | undefined): string => {
  const values = metric?.values ?? {};
  if (metric?.type === 'rate') {
    const total = (values['passes'] ?? 0) + (values['fails'] ?? 0);
    return total === 0 ? 'never observed' : `${whole(values['passes'])} of ${total}`;
  }
  if (metric?.type === 'trend') {
    if (values['count'] === 0) return 'never observed';
    const [median, p95, max] = ['med', 'p(95)', 'max'].map((name) => whole(values[name]));
    return `median ${median} ms, 95 % ${p95} ms, max ${max} ms`;
  }
  return metric === undefined ? 'never observed' : whole(values['count']);
};

const passes = (
  { expression, mayBeMissing }: Rule,
  metric: SummaryData['metrics'][string] | undefined,
): boolean =>
  metric === undefined ? mayBeMissing === true : metric.thresholds?.[expression]?.ok === true;

/**
 * Judges every rule and returns the figures. A rule whose metric was never observed fails here. k6
 * itself passes such a rule, so the suites also count the completed journeys.
 */
export const reportOf = (
  run: { suite: string; title: string; profile: string; rules: readonly Rule[] },
  figures: readonly Figure[],
  data: SummaryData,
): Report => {
  const { suite, title, profile, rules } = run;
  const verdicts = rules.map((rule): Verdict => {
    const key = metricKey(rule);
    const metric = data.metrics[key];
    const text = rule.mayBeMissing === true && metric === undefined ? '0' : observed(metric);
    return {
      threshold: `${key} ${rule.expression}`,
      says: rule.says,
      part: rule.tag?.value ?? '',
      ok: passes(rule, metric) && text !== 'never observed',
      observed: text,
      values: metric?.values ?? {},
    };
  });
  return {
    suite,
    title,
    profile,
    ok: verdicts.every(({ ok }) => ok),
    seconds: Math.round(data.state.testRunDurationMs / 100) / 10,
    verdicts,
    figures: figures.map(({ metric, says }) => ({
      says,
      observed: observed(data.metrics[metric]),
      values: data.metrics[metric]?.values ?? {},
    })),
  };
};

const headline = ({ title, profile, ok, seconds }: Report): string =>
  `${title}, ${profile}: ${ok ? 'all thresholds passed' : 'some thresholds failed'} (${seconds} s)`;

const partsOf = ({ verdicts }: Report): Map<string, Verdict[]> => {
  const parts = new Map<string, Verdict[]>();
  for (const verdict of verdicts) {
    parts.set(verdict.part, [...(parts.get(verdict.part) ?? []), verdict]);
  }
  return parts;
};

/** Renders the report for a terminal. A failed rule is followed by its threshold. */
export const asText = (report: Report): string => {
  const width = Math.max(...[...report.verdicts, ...report.figures].map(({ says }) => says.length));
  const lines = [...partsOf(report)].flatMap(([part, verdicts]) => [
    ...(part === '' ? [] : [`  ${part}`]),
    ...verdicts.flatMap(({ ok, says, observed: seen, threshold }) => [
      `  ${ok ? 'ok    ' : 'FAILED'}  ${says.padEnd(width)}  ${seen}`,
      ...(ok ? [] : [`          ${threshold}`]),
    ]),
  ]);
  const figures = report.figures.map(
    ({ says, observed: seen }) => `          ${says.padEnd(width)}  ${seen}`,
  );
  return [headline(report), ...lines, ...figures, ''].join('\n');
};

/** Renders the report as Markdown. */
export const asMarkdown = (report: Report): string => {
  const tables = [...partsOf(report)].flatMap(([part, verdicts]) => [
    ...(part === '' ? [] : [`### ${part}`, '']),
    '| | | Observed | Threshold |',
    '|---|---|---|---|',
    ...verdicts.map(
      ({ ok, says, observed: seen, threshold }) =>
        `| ${ok ? 'ok' : '**FAILED**'} | ${says} | ${seen} | \`${threshold}\` |`,
    ),
    '',
  ]);
  const figures = report.figures.map(({ says, observed: seen }) => `* ${says}: ${seen}`);
  return [`## ${headline(report)}`, '', ...tables, ...figures, ''].join('\n');
};

/**
 * Returns the value of a suite's `handleSummary`: the text for the terminal and, if there is a
 * folder, the report as JSON and Markdown.
 */
export const reportFiles = (
  report: Report,
  resultsDir: string | undefined,
): Record<string, string> => {
  const stdout = asText(report);
  if (resultsDir === undefined) return { stdout };
  return {
    stdout,
    [`${resultsDir}/${report.suite}.json`]: `${JSON.stringify(report, undefined, 2)}\n`,
    [`${resultsDir}/${report.suite}.md`]: asMarkdown(report),
  };
};
