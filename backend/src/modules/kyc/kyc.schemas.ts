import { z } from 'zod';
import {
  exampleOf,
  idParams,
  moment,
  pageOf,
  pageQuery,
  plainName,
  plainText,
  readBase64,
} from '../../platform/http/index.ts';
import { operatorReference } from '../admins/index.ts';
import { kycStatuses } from '../identity/index.ts';
import { documentTypes, canonicalTypeName } from './document-type.ts';
import { documentKinds, kycWarnings } from './kyc.types.ts';
import { hasVerhoeffCheckDigit } from './verhoeff.ts';

const isPastDate = (text: string): boolean => text >= '1900-01-01';

const documentKey = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[A-Za-z0-9/._-]+$/u, 'must be a key that the upload returned');

export const kycName = plainName(100);

export const submitBody = z.object({
  pan: z
    .string()
    .regex(/^[A-Z]{5}[0-9]{4}[A-Z]$/u, 'must be five letters, four digits and a letter'),
  aadhaar: z
    .string()
    .regex(/^[2-9][0-9]{11}$/u, 'must be 12 digits, the first from 2 to 9')
    .refine(hasVerhoeffCheckDigit, 'is not a valid Aadhaar number: its check digit is wrong'),
  pincode: z.string().regex(/^[1-9][0-9]{5}$/u, 'must be six digits, the first not 0'),
  documentKey,
  selfieKey: documentKey.optional(),
  fullName: kycName.optional(),
  dateOfBirth: z.iso
    .date('must be a date, YYYY-MM-DD')
    .refine(isPastDate, 'must be after 1900')
    .optional(),
});
submitBody.register(z.globalRegistry, {
  id: 'SubmitKycRequest',
  examples: [
    {
      pan: 'ABCPE1234F',
      aadhaar: '999941057058',
      pincode: '560001',
      documentKey: 'kyc/0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b11/0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      selfieKey: 'kyc/0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b11/0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e01',
      fullName: 'Asha Rao',
      dateOfBirth: '1990-04-12',
    },
  ],
});

export const documentBody = z.object({
  kind: z.enum(documentKinds),
  contentType: z
    .preprocess(canonicalTypeName, z.enum(documentTypes))
    .describe('A hint only. The service detects the type from the content.'),
  dataBase64: z
    .string()
    .min(1)
    .transform((text, context): Buffer => {
      const bytes = readBase64(text);
      if (bytes !== undefined) return bytes;
      context.addIssue({ code: 'custom', message: 'must be base64' });
      return z.NEVER;
    })
    .describe('The document in base64, at most 3 MB when decoded. Line breaks are allowed.'),
});
documentBody.register(z.globalRegistry, {
  id: 'UploadKycDocumentRequest',
  examples: [
    { kind: 'PAN', contentType: 'image/jpeg', dataBase64: '/9j/4AAQSkZJRgABAQEASABIAAD/2wBD' },
  ],
});

export const documentView = z.object({ documentKey: z.string() });
documentView.register(z.globalRegistry, {
  id: 'KycDocument',
  description: 'A stored document. Send its key when KYC is submitted.',
  examples: [
    {
      documentKey: 'kyc/0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b11/0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
    },
  ],
});

export const kycView = z.object({
  status: z.enum(kycStatuses),
  panLast4: z.string().nullable(),
  aadhaarLast4: z.string().nullable(),
  pincode: z.string().nullable(),
  reviewReason: z.string().nullable(),
  submittedAt: z.iso.datetime().nullable(),
  reviewedAt: z.iso.datetime().nullable(),
});
kycView.register(z.globalRegistry, {
  id: 'Kyc',
  description:
    'The state of KYC. Only the last four characters of PAN and Aadhaar number are shown.',
  examples: [
    {
      status: 'SUBMITTED',
      panLast4: '234F',
      aadhaarLast4: '1057',
      pincode: '560001',
      reviewReason: null,
      submittedAt: '2026-01-15T09:30:00.000Z',
      reviewedAt: null,
    },
  ],
});

export const kycOperatorView = kycView.extend({
  id: z.uuid(),
  userId: z.uuid(),
  fullName: z.string().nullable(),
  dateOfBirth: z.iso.date().nullable(),
  warnings: z.array(z.enum(kycWarnings)).describe('Warnings that the reviewer should check.'),
  claim: z
    .object({ by: operatorReference, until: z.iso.datetime() })
    .nullable()
    .describe('The operator who claimed the submission, and until when. Null without a claim.'),
  documents: z
    .array(
      z.object({
        kind: z.enum(documentKinds),
        key: z.string(),
        uploadedAt: z.iso.datetime(),
        isSubmitted: z.boolean().describe('True if the document belongs to the newest submission.'),
      }),
    )
    .describe('Documents by kind, newest first within each kind.'),
});
kycOperatorView.register(z.globalRegistry, {
  id: 'KycRecord',
  description: 'A KYC record, as operators see it.',
  examples: [
    {
      ...exampleOf(kycView),
      id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      userId: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b11',
      fullName: 'Asha Rao',
      dateOfBirth: '1990-04-12',
      warnings: [],
      claim: null,
      documents: [
        {
          kind: 'PAN',
          key: 'kyc/0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b11/0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
          uploadedAt: '2026-01-15T09:29:00.000Z',
          isSubmitted: true,
        },
      ],
    },
  ],
});

export const queueQuery = pageQuery.extend({
  status: z.enum(kycStatuses).default('SUBMITTED'),
  q: z
    .string()
    .trim()
    .min(4)
    .max(64)
    .optional()
    .describe(
      "The id of the record or of its customer, or the customer's phone, PAN or Aadhaar number, " +
        'in full.',
    ),
  claim: z.enum(['MINE', 'OTHERS', 'NONE']).optional(),
  from: moment.optional().describe('Only records that were submitted at or after this time.'),
  to: moment.optional().describe('Only records that were submitted before this time.'),
  order: z.enum(['oldest', 'newest']).default('oldest'),
});
export const queuePage = pageOf(kycOperatorView);

const reason = plainText(500);
export const reasonBody = z.object({ reason });
reasonBody.register(z.globalRegistry, {
  id: 'KycReasonRequest',
  examples: [{ reason: 'The photograph of the PAN card is not readable.' }],
});
export const reverifyBody = z.object({
  reason: reason.describe('The reason, which is shown to the customer.').exactOptional(),
});
reverifyBody.register(z.globalRegistry, {
  id: 'ReverifyKycRequest',
  examples: [{ reason: 'The address has changed.' }],
});

export const documentParams = idParams.extend({ kind: z.enum(documentKinds) });

export type SubmitInput = z.output<typeof submitBody>;
export type DocumentInput = z.output<typeof documentBody>;
