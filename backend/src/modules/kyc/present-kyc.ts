import type { Sealer, Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { openFullName } from './kyc-sealing.ts';
import { listDocuments, toKycStatus, type KycRow } from './kyc.store.ts';

/** Presents a record to its customer; without one, a KYC that has not begun. */
export const presentKyc = (row: KycRow | undefined) => ({
  status: row === undefined ? ('PENDING' as const) : toKycStatus(row.status),
  panLast4: row?.panLast4 ?? null,
  aadhaarLast4: row?.aadhaarLast4 ?? null,
  pincode: row?.pincode ?? null,
  reviewReason: row?.reviewReason ?? null,
  submittedAt: row?.submittedAt?.toISOString() ?? null,
  reviewedAt: row?.reviewedAt?.toISOString() ?? null,
});

/** Opens the name; null also for a customer whose key was destroyed with the account. */
const fullNameOf = (row: KycRow, sealer: Sealer | undefined): string | null =>
  sealer === undefined || row.fullNameSealed === null
    ? null
    : openFullName(sealer, row.fullNameSealed, row.id);

/** Presents records to operators, with their documents. */
export const presentKycForOperators = async (
  { db, vault }: { readonly db: Db; readonly vault: Pick<Vault, 'forUsers'> },
  rows: readonly KycRow[],
) => {
  const userIds = rows.map((row) => row.userId);
  const [sealers, documents] = await Promise.all([
    vault.forUsers(db, userIds),
    listDocuments(db, userIds),
  ]);
  return rows.map((row) => ({
    ...presentKyc(row),
    id: row.id,
    userId: row.userId,
    fullName: fullNameOf(row, sealers.get(row.userId)),
    documents: documents
      .filter(({ userId }) => userId === row.userId)
      .map(({ kind, key }) => ({ kind, key })),
  }));
};
