import { z } from 'zod';
import { exampleOf } from '../../platform/http/index.ts';
import { checkIds, checkStatuses, mostSamples, severities } from './reconciliation.types.ts';
import type { Report } from './reconciliation.types.ts';

/** Bounds of the window, in hours. */
const [shortest, longest, usual] = [1, 720, 72];

const clamp = (hours: number): number => Math.min(longest, Math.max(shortest, hours));

export const reconciliationQuery = z.object({
  window_hours: z
    .string()
    .regex(/^-?\d{1,100}$/u, 'must be a whole number of hours')
    .default(String(usual))
    .pipe(z.coerce.number())
    .transform(clamp)
    .meta({
      type: 'integer',
      pattern: undefined,
      description: `Below ${shortest} it counts as ${shortest}, above ${longest} as ${longest}.`,
    }),
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

export const reconciliationView = z.object({
  generatedAt: z.iso.datetime(),
  windowHours: z.int().min(shortest).max(longest),
  summary: z.object({
    ok: z.int().min(0),
    findings: z.int().min(0),
    errors: z.int().min(0),
  }),
  checks: z.array(checkView).length(checkIds.length),
});
const exampleCheck = exampleOf(checkView);
reconciliationView.register(z.globalRegistry, {
  id: 'ReconciliationReport',
  description: "The service's books against themselves and those of its collaborators.",
  examples: [
    {
      generatedAt: '2026-01-15T09:30:00.000Z',
      windowHours: usual,
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

export const presentReport = ({ generatedAt, windowHours, checks }: Report) => {
  const countOf = (wanted: string) => checks.filter(({ status }) => status === wanted).length;
  return {
    generatedAt: generatedAt.toISOString(),
    windowHours,
    summary: { ok: countOf('OK'), findings: countOf('FINDINGS'), errors: countOf('ERROR') },
    checks,
  };
};
