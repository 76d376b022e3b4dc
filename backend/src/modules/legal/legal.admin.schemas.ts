import { z } from 'zod';
import { istDate } from '../../platform/clock/ist.ts';
import { exampleOf, istDay, plainLine, plainText } from '../../platform/http/index.ts';
import { safeAddress } from '../settings/index.ts';
import { legalSections } from './legal.read-model.ts';
import type { LegalField, PolicyVersion } from './legal.store.ts';

/** The name of a field, such as `entity.legalName`. It is the section and the key in that section. */
export const fieldParams = z.object({
  name: z.string().regex(new RegExp(`^(${legalSections.join('|')})\\.[A-Za-z][A-Za-z0-9_]{0,63}$`)),
});

export const fieldBody = z.object({
  value: plainText(2000),
  verified: z.boolean(),
  reference: plainLine(500).nullish(),
});
fieldBody.register(z.globalRegistry, {
  id: 'PutLegalFieldRequest',
  examples: [
    {
      value: 'Example Gold Private Limited',
      verified: true,
      reference: 'Certificate of incorporation',
    },
  ],
});

export type FieldBody = z.output<typeof fieldBody>;

export const policyBody = z
  .object({
    slug: z.string().regex(/^[a-z0-9-]{2,40}$/u, 'must be 2 to 40 of a-z, 0-9 and -'),
    version: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/u, 'must be 1 to 40 letters, digits or . _ -'),
    title: plainLine(200).optional(),
    effectiveFrom: istDay,
    url: safeAddress.nullish(),
    body: plainText(100_000).nullish(),
  })
  .refine(({ url, body }) => Boolean(url ?? body), {
    path: ['body'],
    message: 'is required unless there is a url',
  });
policyBody.register(z.globalRegistry, {
  id: 'PublishPolicyRequest',
  examples: [
    {
      slug: 'terms',
      version: '2026-01',
      title: 'Terms of sale',
      effectiveFrom: '2026-01-01',
      url: 'https://www.example.test/terms',
    },
  ],
});

export type PolicyBody = z.output<typeof policyBody>;

export const fieldView = z.object({
  name: z.string(),
  value: z.string(),
  verified: z
    .boolean()
    .describe('True if the field is verified. Only verified fields are published.'),
  reference: z.string().nullable(),
  updatedAt: z.iso.datetime(),
});
fieldView.register(z.globalRegistry, {
  id: 'LegalField',
  description: 'A fact about the entity, the provider or the pricing, as operators see it.',
  examples: [
    {
      name: 'entity.legalName',
      value: 'Example Gold Private Limited',
      verified: true,
      reference: 'Certificate of incorporation',
      updatedAt: '2026-01-15T09:30:00.000Z',
    },
  ],
});

export const policyVersionView = z.object({
  slug: z.string(),
  version: z.string(),
  title: z.string(),
  effectiveFrom: z.iso.date().describe('The IST date from which the version is in force.'),
  url: z.string().nullable(),
  body: z.string().nullable(),
  verified: z.boolean(),
  inForce: z.boolean(),
  createdAt: z.iso.datetime(),
});
policyVersionView.register(z.globalRegistry, {
  id: 'PolicyVersion',
  description: 'A version of a policy, as operators see it.',
  examples: [
    {
      slug: 'terms',
      version: '2026-01',
      title: 'Terms of sale',
      effectiveFrom: '2026-01-01',
      url: 'https://www.example.test/terms',
      body: null,
      verified: true,
      inForce: true,
      createdAt: '2025-12-15T09:30:00.000Z',
    },
  ],
});

export const legalView = z.object({
  fields: z.array(fieldView),
  policies: z.array(policyVersionView),
});
legalView.register(z.globalRegistry, {
  id: 'LegalContent',
  description: 'Every field and every version of every policy, verified or not.',
  examples: [{ fields: [exampleOf(fieldView)], policies: [exampleOf(policyVersionView)] }],
});

export const presentField = ({
  section,
  key,
  updatedAt,
  ...field
}: LegalField): z.output<typeof fieldView> => ({
  name: `${section}.${key}`,
  ...field,
  updatedAt: updatedAt.toISOString(),
});

export const presentPolicyVersion = (
  policy: PolicyVersion,
  inForce: boolean,
): z.output<typeof policyVersionView> => ({
  slug: policy.slug,
  version: policy.version,
  title: policy.title,
  effectiveFrom: istDate(policy.effectiveFrom),
  url: policy.url,
  body: policy.body,
  verified: policy.verified,
  inForce,
  createdAt: policy.createdAt.toISOString(),
});
