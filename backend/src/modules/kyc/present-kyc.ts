import type { Sealer, Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { openDateOfBirth, openFullName, openPan, openPincode, openReason } from './kyc-sealing.ts';
import { findKycByUser, listDocuments, toKycStatus, type KycRow } from './kyc.store.ts';
import type { KycWarning } from './kyc.types.ts';

interface PresentDeps {
  readonly db: Db;
  readonly vault: Pick<Vault, 'forUsers'>;
}

/** Presents a KYC that has not begun. */
const notBegun = {
  status: 'PENDING' as const,
  panLast4: null,
  aadhaarLast4: null,
  pincode: null,
  reviewReason: null,
  submittedAt: null,
  reviewedAt: null,
};

/** Presents a record. Without a sealer (the key was destroyed with the account) less is known. */
const present = (row: KycRow, sealer: Sealer | undefined) => ({
  status: toKycStatus(row.status),
  panLast4: row.panLast4,
  aadhaarLast4: row.aadhaarLast4,
  pincode: sealer === undefined ? null : openPincode(sealer, row),
  reviewReason: sealer === undefined ? null : openReason(sealer, row),
  submittedAt: row.submittedAt?.toISOString() ?? null,
  reviewedAt: row.reviewedAt?.toISOString() ?? null,
});

/** Presents a record to its customer. */
export const presentKyc = async ({ db, vault }: PresentDeps, row: KycRow | undefined) => {
  if (row === undefined) return notBegun;
  return present(row, (await vault.forUsers(db, [row.userId])).get(row.userId));
};

const fullNameOf = (row: KycRow, sealer: Sealer | undefined): string | null =>
  sealer === undefined || row.fullNameSealed === null
    ? null
    : openFullName(sealer, row.fullNameSealed, row.id);

/** The fourth letter of a PAN, which says what kind of holder it has. */
const knownHolders = 'ABCFGHJLPT';

const warningsOf = (row: KycRow, sealer: Sealer | undefined): KycWarning[] => {
  if (sealer === undefined || row.panSealed === null) return [];
  const holder = openPan(sealer, row.panSealed, row.id).charAt(3);
  return knownHolders.includes(holder) ? [] : ['PAN_HOLDER_UNKNOWN'];
};

const dateOfBirthOf = (row: KycRow, sealer: Sealer | undefined): string | null =>
  sealer === undefined || row.dateOfBirthSealed === null
    ? null
    : openDateOfBirth(sealer, row.dateOfBirthSealed, row.id);

/** Presents records to operators, with their documents. */
export const presentKycForOperators = async (
  { db, vault }: PresentDeps,
  rows: readonly KycRow[],
) => {
  const userIds = rows.map((row) => row.userId);
  const [sealers, documents] = await Promise.all([
    vault.forUsers(db, userIds),
    listDocuments(db, userIds),
  ]);
  return rows.map((row) => ({
    ...present(row, sealers.get(row.userId)),
    id: row.id,
    userId: row.userId,
    fullName: fullNameOf(row, sealers.get(row.userId)),
    dateOfBirth: dateOfBirthOf(row, sealers.get(row.userId)),
    warnings: warningsOf(row, sealers.get(row.userId)),
    documents: documents
      .filter(({ userId }) => userId === row.userId)
      .map(({ kind, key }) => ({ kind, key })),
  }));
};

/** Returns a customer's record as operators see it; null where KYC has not begun. */
export const readKycOfUser = async (deps: PresentDeps, userId: string) => {
  const row = await findKycByUser(deps.db, userId);
  return row === undefined ? null : ((await presentKycForOperators(deps, [row]))[0] ?? null);
};
