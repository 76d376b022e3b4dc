import { z } from 'zod';
import { exampleOf, istDay, plainLine, plainText } from '../../platform/http/index.ts';
import {
  findingStatuses,
  readinessItems,
  recordedItems,
  type Evidence,
  type ReadinessItem,
} from './readiness.types.ts';

export const evidenceBody = z.object({
  value: plainText(2000),
  reference: plainLine(500)
    .nullable()
    .describe('Where the evidence can be found. Null if it has no reference.'),
  verified: z.boolean(),
  expiresOn: istDay
    .describe('The last IST day on which the evidence is valid. Absent if it does not expire.')
    .optional(),
});
evidenceBody.register(z.globalRegistry, {
  id: 'RecordEvidenceRequest',
  examples: [
    { value: '29ABCDE1234F1Z5', reference: 'GST certificate of 2025-04-01', verified: true },
  ],
});

export type EvidenceBody = z.output<typeof evidenceBody>;

export const evidenceParams = z.object({ item: z.enum(recordedItems) });

export const evidenceView = z.object({
  value: z.string(),
  reference: z.string().nullable(),
  verified: z.boolean(),
  expiresOn: z.iso.date().nullable(),
  updatedAt: z.iso.datetime(),
});
evidenceView.register(z.globalRegistry, {
  id: 'Evidence',
  description: 'The evidence that an operator recorded for an item of the readiness report.',
  examples: [
    {
      value: '29ABCDE1234F1Z5',
      reference: 'GST certificate of 2025-04-01',
      verified: true,
      expiresOn: '2026-12-31',
      updatedAt: '2026-01-15T09:30:00.000Z',
    },
  ],
});

const itemView = z.object({
  id: z.enum(readinessItems),
  title: z.string(),
  blocking: z.boolean(),
  status: z.enum(findingStatuses),
  detail: z.string(),
  warning: z
    .string()
    .describe('The reason why the item passes now but will soon fail. Absent without a warning.')
    .optional(),
  evidence: evidenceView.optional(),
});
itemView.register(z.globalRegistry, {
  id: 'ReadinessItem',
  description: 'One item of the readiness report.',
  examples: [
    {
      id: 'merchant_tax_registration',
      title: "The merchant's tax registration",
      blocking: true,
      status: 'PASS',
      detail: 'The evidence is verified.',
      evidence: exampleOf(evidenceView),
    },
  ],
});

export const reportView = z.object({ ready: z.boolean(), items: z.array(itemView) });
reportView.register(z.globalRegistry, {
  id: 'ReadinessReport',
  description: 'The readiness of the service to accept money.',
  examples: [{ ready: true, items: [exampleOf(itemView)] }],
});

export const gateStates = z.enum(['OPEN', 'CLOSED']);

export const publicReadinessView = z.object({
  checkout_available: z.boolean(),
  buy: gateStates,
  sell: gateStates,
  sip: gateStates,
});
publicReadinessView.register(z.globalRegistry, {
  id: 'PaymentReadiness',
  description: 'Availability of buying, selling and plans, without reasons.',
  examples: [{ checkout_available: true, buy: 'OPEN', sell: 'OPEN', sip: 'OPEN' }],
});

export const presentEvidence = (evidence: Evidence) => ({
  value: evidence.value,
  reference: evidence.reference,
  verified: evidence.verified,
  expiresOn: evidence.expiresOn,
  updatedAt: evidence.updatedAt.toISOString(),
});

export const presentItem = ({ evidence, ...item }: ReadinessItem) => ({
  ...item,
  ...(evidence !== undefined && { evidence: presentEvidence(evidence) }),
});
