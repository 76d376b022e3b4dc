import { z } from 'zod';
import { exampleOf, istDay, pageOf } from '../../platform/http/index.ts';
import {
  decimalGrams,
  refusalDetail,
  refusalReasons,
  runStatuses,
  runTriggers,
} from './proof.types.ts';
import type { Run } from './runs.store.ts';
import { readStatement, signatureSchema, statementSchema } from './statement.ts';
import type { Published } from './statements.store.ts';

const digest = z.string().regex(/^[\w-]{43}$/u);

const exampleStatement: z.output<typeof statementSchema> = {
  format: 'proof-of-gold/1',
  id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
  sequence: 12,
  day: '2026-01-15',
  moment: '2026-01-14T18:30:05.000Z',
  accounts: 3,
  root: 'pJ7m3mJ8Yk0QmJb0m3Yf0kq8mFv3x9QbJm0tq5nWc1A',
  liabilities: '12.34560000',
  provider: 'safegold',
  confirmed: '12.34560000',
  difference: '0.00000000',
  house: '0.00000000',
  open: '0.00000000',
  confirmedAccounts: 3,
  oldestConfirmation: '2026-01-14T18:30:01.000Z',
  certificate: { grams: '500.0000', day: '2026-01-01', document: 'Vault certificate 2026/1' },
  previous: null,
};
statementSchema.register(z.globalRegistry, {
  id: 'ProofStatement',
  description:
    'The gold that customers hold and the gold that the provider confirmed, both at the same time, ' +
    'with the root of the tree of all holdings.',
  examples: [exampleStatement],
});
statementSchema.shape.certificate.unwrap().register(z.globalRegistry, {
  id: 'CustodianCertificate',
  description: "A custodian's certificate of the gold in its vault.",
  examples: [{ grams: '500.0000', day: '2026-01-01', document: 'Vault certificate 2026/1' }],
});
signatureSchema.register(z.globalRegistry, {
  id: 'ProofSignature',
  description: 'An Ed25519 signature over the exact text of a statement.',
  examples: [
    { publicKey: 'pJ7m3mJ8Yk0QmJb0m3Yf0kq8mFv3x9QbJm0tq5nWc1A', signature: 'A'.repeat(86) },
  ],
});

const signedFields = {
  signed: z
    .string()
    .describe('The exact text that is signed, as JSON. Verify the signatures against this text.'),
  signatures: z.array(signatureSchema).min(1),
};

export const publishedView = z.object({
  statement: statementSchema,
  ...signedFields,
  hash: digest.describe(
    'The SHA-256 of `signed`, in base64url. The next statement has it as `previous`.',
  ),
});
const exampleSigned = JSON.stringify(exampleStatement);
publishedView.register(z.globalRegistry, {
  id: 'PublishedProof',
  description: 'A signed statement that the gold of all customers is held.',
  examples: [
    {
      statement: exampleStatement,
      signed: exampleSigned,
      signatures: [exampleOf(signatureSchema)],
      hash: exampleStatement.root,
    },
  ],
});

const pathNode = z.object({ hash: digest, grams: decimalGrams });
pathNode.register(z.globalRegistry, {
  id: 'ProofNode',
  description:
    'A sibling on the path from a leaf to the root, with its hash and the grams below it.',
  examples: [{ hash: exampleStatement.root, grams: '4.00000000' }],
});

export const ownProofView = z.object({
  format: z.literal('proof-of-gold/1'),
  customer: z.uuid(),
  grams: decimalGrams,
  salt: digest,
  position: z.int().min(0),
  path: z.array(pathNode).max(40),
  ...signedFields,
});
ownProofView.register(z.globalRegistry, {
  id: 'OwnProof',
  description: "A customer's own leaf, and its path to the root of a signed statement.",
  examples: [
    {
      format: 'proof-of-gold/1',
      customer: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b11',
      grams: '8.34560000',
      salt: exampleStatement.root,
      position: 0,
      path: [exampleOf(pathNode)],
      signed: exampleSigned,
      signatures: [exampleOf(signatureSchema)],
    },
  ],
});

export const dayQuery = z.object({
  date: istDay
    .optional()
    .describe('Returns the newest statement of this IST day. The default is the newest of all.'),
});

const detailView = refusalDetail;
detailView.shape.samples.unwrap().element.register(z.globalRegistry, {
  id: 'ProofDifference',
  description:
    'A customer whose balance at the gold provider differs from the books of the service.',
  examples: [
    {
      userId: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b11',
      booked: '8.34560000',
      confirmed: '8.34550000',
      difference: '-0.00010000',
    },
  ],
});
detailView.register(z.globalRegistry, {
  id: 'ProofRefusal',
  description: 'The figures because of which a statement was not signed.',
  examples: [{ liabilities: '12.34560000', confirmed: '12.34550000', accountsDiffering: 1 }],
});

export const runView = z.object({
  id: z.uuid(),
  day: z.iso.date(),
  trigger: z.enum(runTriggers),
  status: z.enum(runStatuses),
  requestedAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime().nullable(),
  reason: z.enum(refusalReasons).nullable(),
  detail: detailView.nullable(),
  sequence: z
    .int()
    .nullable()
    .describe('The number of the published statement. Null if nothing was published.'),
});
runView.register(z.globalRegistry, {
  id: 'ProofRun',
  description: 'A run that publishes a statement. `reason` is null unless nothing was signed.',
  examples: [
    {
      id: exampleStatement.id,
      day: '2026-01-15',
      trigger: 'SCHEDULE',
      status: 'REFUSED',
      requestedAt: '2026-01-14T18:30:00.000Z',
      startedAt: '2026-01-14T18:30:01.000Z',
      finishedAt: '2026-01-14T18:30:05.000Z',
      reason: 'BOOKS_DIFFER',
      detail: exampleOf(detailView),
      sequence: null,
    },
  ],
});

export const runPage = pageOf(runView);
export const publishedPage = pageOf(publishedView);

export const presentRun = ({ number: _number, ...run }: Run): z.output<typeof runView> => ({
  ...run,
  requestedAt: run.requestedAt.toISOString(),
  startedAt: run.startedAt?.toISOString() ?? null,
  finishedAt: run.finishedAt?.toISOString() ?? null,
});

export const presentPublished = ({
  signed,
  signatures,
  hash,
}: Published): z.output<typeof publishedView> => ({
  statement: readStatement(signed),
  signed,
  signatures: [...signatures],
  hash: hash.toString('base64url'),
});
