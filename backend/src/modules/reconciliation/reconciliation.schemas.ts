import { z } from 'zod';
import { msBetween } from '../../platform/clock/clock.ts';
import { exampleOf, pageOf } from '../../platform/http/index.ts';
import { driftPlaces } from './database-rules/drift.ts';
import { checkIds, checkStatuses, maxSamples, severities } from './reconciliation.types.ts';
import { runKinds, runStatuses, runTriggers, type Run } from './runs.store.ts';
import type { Report, Sample } from './reconciliation.types.ts';

/** Bounds of the window, in hours. */
const [shortest, longest] = [1, 720];
/** The window of scheduled runs in hours, which is also the default of a request. */
export const usualHours = 72;

const clamp = (hours: number): number => Math.min(longest, Math.max(shortest, hours));

export const reconciliationQuery = z.object({
  window_hours: z
    .string()
    .regex(/^-?\d{1,100}$/u, 'must be a whole number of hours')
    .default(String(usualHours))
    .pipe(z.coerce.number())
    .transform(clamp)
    .meta({
      type: 'integer',
      pattern: undefined,
      description: `The window in hours up to now, from ${shortest} to ${longest}. Other values are clamped.`,
    }),
  max_age_seconds: z
    .string()
    .regex(/^\d{1,9}$/u, 'must be a whole number of seconds')
    .pipe(z.coerce.number())
    .optional()
    .meta({
      type: 'integer',
      pattern: undefined,
      description:
        'The maximum age in seconds of a stored run to return. With 0 the checks run now.',
    }),
});

export const runBody = z.object({
  kind: z
    .enum(runKinds)
    .default('REPORT')
    .describe(
      'REPORT runs the checks of the report, DATABASE_RULES the rules over the whole database.',
    ),
  windowHours: z.int().min(shortest).max(longest).default(usualHours),
});
runBody.register(z.globalRegistry, {
  id: 'ReconciliationRunRequest',
  description: 'The kind of a run, and the window of a report in hours up to now.',
  examples: [{ kind: 'REPORT', windowHours: usualHours }],
});

const sampleView = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

const checkView = z.object({
  id: z.enum(checkIds),
  title: z.string(),
  severity: z.enum(severities),
  status: z.enum(checkStatuses),
  count: z.int().min(0),
  samples: z.array(sampleView).max(maxSamples),
  detail: z.string().optional(),
});
checkView.register(z.globalRegistry, {
  id: 'ReconciliationCheck',
  description: 'One comparison of the books, with samples of the differences.',
  examples: [
    {
      id: 'manual_review_open',
      title: 'Orders under manual review',
      severity: 'medium',
      status: 'FINDINGS',
      count: 1,
      samples: [
        {
          orderId: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
          manualReviewCode: 'LATE_CAPTURE',
          amountPaise: 100_050,
        },
      ],
    },
  ],
});

const summaryView = z.object({
  ok: z.int().min(0),
  findings: z.int().min(0),
  errors: z.int().min(0),
});
summaryView.register(z.globalRegistry, {
  id: 'ReconciliationSummary',
  description: 'The numbers of checks that passed, had findings or could not run.',
  examples: [{ ok: checkIds.length, findings: 0, errors: 0 }],
});

const ruleView = z.object({
  invariant: z.int().min(1).describe('The number of the invariant that the rule checks.'),
  says: z.string(),
  status: z.enum(checkStatuses),
  count: z.int().min(0),
  samples: z.array(sampleView).max(maxSamples),
});
ruleView.register(z.globalRegistry, {
  id: 'DatabaseRule',
  description: 'A rule that holds for every row of the database, with the rows that break it.',
  examples: [
    {
      invariant: 5,
      says: 'a sale is completed exactly while its payout is paid',
      status: 'OK',
      count: 0,
      samples: [],
    },
  ],
});

const driftView = z.object({
  place: z.enum(driftPlaces),
  amount: z.string().describe('The difference, in paise or grams as the name of `place` says.'),
});
driftView.register(z.globalRegistry, {
  id: 'LedgerDrift',
  description: 'The difference between a total of money or gold and the sum of its parts.',
  examples: [{ place: 'held_grams', amount: '0' }],
});

const rulesView = z.object({
  generatedAt: z.iso.datetime(),
  ageSeconds: z.int().min(0).describe('The number of seconds since the rules were checked.'),
  runId: z.uuid(),
  summary: summaryView,
  rules: z.array(ruleView),
  drift: z.array(driftView),
});
rulesView.register(z.globalRegistry, {
  id: 'DatabaseRulesReport',
  description: 'The findings of a stored run of the rules over the whole database.',
  examples: [
    {
      generatedAt: '2026-01-14T20:30:00.000Z',
      ageSeconds: 46_800,
      runId: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b12',
      summary: { ok: 1, findings: 0, errors: 0 },
      rules: [exampleOf(ruleView)],
      drift: [exampleOf(driftView)],
    },
  ],
});

const reconciliationView = z.object({
  generatedAt: z.iso.datetime(),
  windowHours: z.int().min(shortest).max(longest),
  summary: summaryView,
  checks: z.array(checkView).length(checkIds.length),
  ageSeconds: z.int().min(0).describe('The number of seconds since the checks ran.'),
  runId: z
    .uuid()
    .nullable()
    .describe('The stored run that is returned. Null if the checks ran for this request.'),
});
const exampleCheck = exampleOf(checkView);
reconciliationView.register(z.globalRegistry, {
  id: 'ReconciliationReport',
  description:
    "A comparison of the service's books with each other and with those of its collaborators.",
  examples: [
    {
      generatedAt: '2026-01-15T09:30:00.000Z',
      windowHours: usualHours,
      ageSeconds: 0,
      runId: null,
      summary: { ok: checkIds.length - 1, findings: 1, errors: 0 },
      checks: checkIds.map((id) =>
        id === exampleCheck.id
          ? exampleCheck
          : {
              ...exampleCheck,
              id,
              title: id.replaceAll('_', ' '),
              status: 'OK',
              count: 0,
              samples: [],
            },
      ),
    },
  ],
});

export const answeredView = reconciliationView.extend({
  databaseRules: rulesView
    .nullable()
    .describe('The newest check of the rules. Null if there was none.'),
});
answeredView.register(z.globalRegistry, {
  id: 'ReconciliationAnswer',
  description: 'A report of the books, with the newest check of the rules of the database.',
  examples: [{ ...exampleOf(reconciliationView), databaseRules: exampleOf(rulesView) }],
});

const runFields = {
  id: z.uuid(),
  kind: z.enum(runKinds),
  windowHours: z.int().min(shortest).max(longest),
  trigger: z.enum(runTriggers),
  status: z.enum(runStatuses),
  requestedAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime().nullable(),
  checksDone: z.int().min(0),
};

export const runView = z.object({ ...runFields, summary: summaryView.nullable() });
const exampleRun: z.output<typeof runView> = {
  id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b11',
  kind: 'REPORT',
  windowHours: usualHours,
  trigger: 'SCHEDULE',
  status: 'RUNNING',
  requestedAt: '2026-01-15T09:00:00.000Z',
  startedAt: '2026-01-15T09:00:01.000Z',
  finishedAt: null,
  checksDone: 4,
  summary: null,
};
runView.register(z.globalRegistry, {
  id: 'ReconciliationRun',
  description: 'A run of the checks over a window. Its summary is null until it is done.',
  examples: [exampleRun],
});

export const runPage = pageOf(runView);

export const runReportView = runView.extend({
  report: reconciliationView.nullable(),
  databaseRules: rulesView.nullable(),
});
runReportView.register(z.globalRegistry, {
  id: 'ReconciliationRunReport',
  description:
    'A run with its report or its check of the rules. Both are null until the run is done.',
  examples: [{ ...exampleRun, report: null, databaseRules: null }],
});

const summaryOf = (results: readonly { readonly status: string }[]) => {
  const countOf = (wanted: string) => results.filter(({ status }) => status === wanted).length;
  return { ok: countOf('OK'), findings: countOf('FINDINGS'), errors: countOf('ERROR') };
};

/** Returns the age in whole seconds. It is 0 if the business clock was set back since. */
const ageOf = (at: Date, now: Date): number => {
  const ageMs = Math.max(0, msBetween(at, now));
  return (ageMs - (ageMs % 1000)) / 1000;
};

const withSamples = <T extends { readonly samples: readonly Sample[] }>(result: T) => ({
  ...result,
  samples: [...result.samples],
});

/** Presents a report, with the run's id if the run is stored. */
export const presentReport = (report: Report, now: Date, runId: string | null = null) => {
  const { generatedAt, windowHours, checks } = report;
  return {
    generatedAt: generatedAt.toISOString(),
    windowHours,
    summary: summaryOf(checks),
    checks: checks.map(withSamples),
    ageSeconds: ageOf(generatedAt, now),
    runId,
  };
};

/** Presents the findings of a run of the rules, or null if there is no run or it is not done. */
export const presentRules = (
  run: Pick<Run, 'id' | 'rules'> | undefined,
  now: Date,
): z.output<typeof rulesView> | null => {
  if (run?.rules === undefined) return null;
  const { generatedAt, rules, drift } = run.rules;
  return {
    generatedAt: generatedAt.toISOString(),
    ageSeconds: ageOf(generatedAt, now),
    runId: run.id,
    summary: summaryOf(rules),
    rules: rules.map(withSamples),
    drift: drift.map(({ place, amount }) => ({ place, amount })),
  };
};

export const presentRun = ({ report, rules, ...run }: Run): z.output<typeof runView> => ({
  ...run,
  requestedAt: run.requestedAt.toISOString(),
  startedAt: run.startedAt?.toISOString() ?? null,
  finishedAt: run.finishedAt?.toISOString() ?? null,
  summary:
    report === undefined && rules === undefined
      ? null
      : summaryOf(report?.checks ?? rules?.rules ?? []),
});

export const presentRunReport = (run: Run, now: Date): z.output<typeof runReportView> => ({
  ...presentRun(run),
  report: run.report === undefined ? null : presentReport(run.report, now, run.id),
  databaseRules: presentRules(run, now),
});
