import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { maskedName } from '../customers/mask.ts';
import { askAdmin, confirmed, given, listRows, pageOf, printRow } from '../desk/ask-admin.ts';
import type { Paging } from '../desk/paging.ts';
import type { KycStatus } from './kyc-statuses.ts';

/** A KYC record. Personal data is masked in every output, including JSON. */
export const kycForm = z.object({
  id: z.string(),
  userId: z.string(),
  status: z.string(),
  fullName: z.string().nullable().transform(maskedName),
  panLast4: z.string().nullable(),
  aadhaarLast4: z.string().nullable(),
  warnings: z.array(z.string()),
  documents: z.array(z.object({ kind: z.string() })),
  reviewReason: z.string().nullable(),
  submittedAt: z.string().nullable(),
  reviewedAt: z.string().nullable(),
});
type KycRecord = z.infer<typeof kycForm>;

/** A page of KYC records. */
export const kycPage = pageOf(kycForm);

const kindsOf = ({ documents }: KycRecord): string =>
  documents.length === 0 ? '-' : documents.map(({ kind }) => kind).join(', ');

const columns = {
  record: ({ id }: KycRecord) => id,
  customer: ({ userId }: KycRecord) => userId,
  status: ({ status }: KycRecord) => status,
  name: ({ fullName }: KycRecord) => fullName ?? '-',
  PAN: ({ panLast4 }: KycRecord) => panLast4 ?? '-',
  warnings: ({ warnings }: KycRecord) => warnings.join(', ') || '-',
  submitted: ({ submittedAt }: KycRecord) => submittedAt ?? '-',
};

const print = (deps: CliDeps, command: Command, record: KycRecord): void =>
  printRow(deps, command, record, {
    columns,
    more: [
      ['documents', kindsOf(record)],
      ['reviewed', record.reviewedAt ?? '-'],
      ['reason', record.reviewReason ?? '-'],
    ],
  });

export interface ListOptions extends Paging {
  readonly status?: KycStatus;
}

/** Prints KYC records of a status. The default is the records that wait for review. */
export const listKyc = (
  deps: CliDeps,
  { status, page, limit }: ListOptions,
  command: Command,
): Promise<void> =>
  listRows(deps, command, kycPage, {
    send: (client) => client.get('/v1/kyc', { query: given({ page, limit, status }) }),
    columns,
    none: 'Nothing waits for review.',
  });

export interface DecideOptions {
  readonly yes?: boolean;
  readonly reason: string;
}

/** Approves a record. */
export const approveKyc = async (
  deps: CliDeps,
  id: string,
  { yes }: Pick<DecideOptions, 'yes'>,
  command: Command,
): Promise<void> => {
  await confirmed(deps, `Approve KYC record ${id}?`, yes);
  const record = await askAdmin(deps, command, kycForm, (client) =>
    client.post('/v1/kyc/{id}/approve', { path: { id } }),
  );
  print(deps, command, record);
};

/** Rejects a record, with a reason that the customer reads. */
export const rejectKyc = async (
  deps: CliDeps,
  id: string,
  { yes, reason }: DecideOptions,
  command: Command,
): Promise<void> => {
  await confirmed(deps, `Reject KYC record ${id}?`, yes);
  const record = await askAdmin(deps, command, kycForm, (client) =>
    client.post('/v1/kyc/{id}/reject', { path: { id }, body: { reason } }),
  );
  print(deps, command, record);
};
