import { z } from 'zod';

const sample = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

const check = z.object({
  id: z.string(),
  title: z.string(),
  severity: z.string(),
  status: z.enum(['OK', 'FINDINGS', 'ERROR']),
  count: z.int(),
  samples: z.array(sample),
  /** Why an ERROR is one. */
  detail: z.string().optional(),
});

/** The report of `GET /reconciliation` of the admin API. */
export const reportAnswer = z.object({
  generatedAt: z.string(),
  windowHours: z.int(),
  summary: z.object({ ok: z.int(), findings: z.int(), errors: z.int() }),
  checks: z.array(check),
});

export type Report = z.infer<typeof reportAnswer>;
export type ReportCheck = z.infer<typeof check>;
export type Sample = z.infer<typeof sample>;

/** The report without what leads to single rows. */
export const withoutSamples = ({ checks, ...report }: Report) => ({
  ...report,
  checks: checks.map(({ samples: _samples, ...rest }) => rest),
});
