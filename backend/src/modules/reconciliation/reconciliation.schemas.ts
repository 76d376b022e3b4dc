import { z } from 'zod';
import { msBetween } from '../../platform/clock/clock.ts';
import { exampleOf, pageOf } from '../../platform/http/index.ts';
import { checkIds, checkStatuses, mostSamples, severities } from './reconciliation.types.ts';
import { runStatuses, runTriggers, type Run } from './runs.store.ts';
import type { Report } from './reconciliation.types.ts';

/** Bounds of the window, in hours. */
const [shortest, longest] = [1, 720];
/** The window of the schedule, and the one that counts where none is given. */
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
      description: `Below ${shortest} it counts as ${shortest}, above ${longest} as ${longest}.`,
    }),
  max_age_seconds: z
    .string()
    .regex(/^\d{1,9}$/u, 'must be a whole number of seconds')
    .pipe(z.coerce.number())
    .optional()
    .meta({
      type: 'integer',
      pattern: undefined,
      description: 'The oldest stored run that may answer; with 0 the checks are run now.',
    }),
});

export const runBody = z.object({
  windowHours: z.int().min(shortest).max(longest).default(usualHours),
});
runBody.register(z.globalRegistry, {
  id: 'ReconciliationRunRequest',
  description: 'The window of a run, in hours up to now.',
  examples: [{ windowHours: usualHours }],
});

const sampleView = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

const checkView = z.object({
  id: z.enum(checkIds),
  title: z.string(),
  severity: z.enum(severities),
  status: z.enum(checkStatuses),
  count: z.int().min(0),
  samples: z.array(sampleView).max(mostSamples),
  detail: z.string().optional(),
});
checkView.register(z.globalRegistry, {
  id: 'ReconciliationCheck',
  description: 'One comparison of the books, with what differs.',
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
  description: 'How many checks held, found something, or could not be made.',
  examples: [{ ok: checkIds.length, findings: 0, errors: 0 }],
});

export const reconciliationView = z.object({
  generatedAt: z.iso.datetime(),
  windowHours: z.int().min(shortest).max(longest),
  summary: summaryView,
  checks: z.array(checkView).length(checkIds.length),
  ageSeconds: z.int().min(0).describe('How long ago the checks were run.'),
  runId: z.uuid().nullable().describe('The stored run that answers; null for checks run now.'),
});
const exampleCheck = exampleOf(checkView);
reconciliationView.register(z.globalRegistry, {
  id: 'ReconciliationReport',
  description: "The service's books against themselves and those of its collaborators.",
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

const runFields = {
  id: z.uuid(),
  windowHours: z.int().min(shortest).max(longest),
  trigger: z.enum(runTriggers),
  status: z.enum(runStatuses),
  requestedAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime().nullable(),
  checksDone: z.int().min(0).max(checkIds.length),
};

export const runView = z.object({ ...runFields, summary: summaryView.nullable() });
const exampleRun: z.output<typeof runView> = {
  id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b11',
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

export const runReportView = runView.extend({ report: reconciliationView.nullable() });
runReportView.register(z.globalRegistry, {
  id: 'ReconciliationRunReport',
  description: 'A run with its report, which is null until it is done.',
  examples: [{ ...exampleRun, report: null }],
});

const summaryOf = ({ checks }: Report) => {
  const countOf = (wanted: string) => checks.filter(({ status }) => status === wanted).length;
  return { ok: countOf('OK'), findings: countOf('FINDINGS'), errors: countOf('ERROR') };
};

/** Shows a report: one of a stored run with the run's id. */
export const presentReport = (report: Report, now: Date, runId: string | null = null) => {
  const { generatedAt, windowHours, checks } = report;
  // The business clock may have been set back since.
  const ageMs = Math.max(0, msBetween(generatedAt, now));
  return {
    generatedAt: generatedAt.toISOString(),
    windowHours,
    summary: summaryOf(report),
    checks: checks.map((check) => ({ ...check, samples: [...check.samples] })),
    ageSeconds: (ageMs - (ageMs % 1000)) / 1000,
    runId,
  };
};

export const presentRun = ({ report, ...run }: Run): z.output<typeof runView> => ({
  ...run,
  requestedAt: run.requestedAt.toISOString(),
  startedAt: run.startedAt?.toISOString() ?? null,
  finishedAt: run.finishedAt?.toISOString() ?? null,
  summary: report === undefined ? null : summaryOf(report),
});

export const presentRunReport = (run: Run, now: Date): z.output<typeof runReportView> => ({
  ...presentRun(run),
  report: run.report === undefined ? null : presentReport(run.report, now, run.id),
});
