import { z } from 'zod';
import { istDate } from '../../platform/clock/ist.ts';
import { exampleOf, pageOf } from '../../platform/http/index.ts';
import type { PolicyInForce } from './legal.read-model.ts';

/** Verified facts by their keys (contract: customers > Legal content). */
export const factsView = z.record(z.string(), z.string());
factsView.register(z.globalRegistry, {
  id: 'LegalFacts',
  description: 'Verified facts by name. Facts that are not verified are absent.',
  examples: [{ legalName: 'Example Gold Private Limited', gstin: '29ABCDE1234F1Z5' }],
});

export const slugParams = z.object({ slug: z.string().regex(/^[a-z0-9-]{2,40}$/u) });

const effectiveDate = z.iso.date().describe('The IST date from which the version is in force.');

const policySummary = z.object({
  slug: z.string(),
  version: z.string(),
  title: z.string(),
  effectiveFrom: effectiveDate,
});
policySummary.register(z.globalRegistry, {
  id: 'PolicySummary',
  description: 'A policy in force.',
  examples: [
    { slug: 'terms', version: '2026-01', title: 'Terms of sale', effectiveFrom: '2026-01-01' },
  ],
});

export const policyPage = pageOf(policySummary);

export const policyView = z.object({
  slug: z.string(),
  available: z.boolean().describe('True if a verified version is in force.'),
  version: z.string().nullable(),
  title: z.string().nullable(),
  body: z.string().nullable(),
  url: z
    .string()
    .nullable()
    .describe('The address of the text if it is not in `body`, otherwise null.'),
  effectiveFrom: effectiveDate.nullable(),
});
policyView.register(z.globalRegistry, {
  id: 'Policy',
  description: 'A policy with the version in force, if there is one.',
  examples: [
    {
      ...exampleOf(policySummary),
      available: true,
      body: null,
      url: 'https://www.example.test/terms',
    },
  ],
});

export const presentSummary = (policy: PolicyInForce): z.output<typeof policySummary> => ({
  slug: policy.slug,
  version: policy.version,
  title: policy.title,
  effectiveFrom: istDate(policy.effectiveFrom),
});

export const presentPolicy = (
  slug: string,
  policy: PolicyInForce | undefined,
): z.output<typeof policyView> =>
  policy === undefined
    ? {
        slug,
        available: false,
        version: null,
        title: null,
        body: null,
        url: null,
        effectiveFrom: null,
      }
    : { ...presentSummary(policy), available: true, body: policy.body, url: policy.url };
