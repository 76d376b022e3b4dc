import type { Sealer, Vault } from '../../platform/crypto/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { openDateOfBirth, openFullName, openPan, openPincode, openReason } from './kyc-sealing.ts';
import { findClaims } from './kyc-claims.store.ts';
import { findKycByUser, listDocuments, toKycStatus, type KycRow } from './kyc.store.ts';
import { documentKinds, type KycWarning } from './kyc.types.ts';

interface PresentDeps {
  readonly db: Db;
  readonly vault: Pick<Vault, 'forUsers'>;
}

interface OperatorPresentDeps extends PresentDeps {
  /** The clock of real time, by which a claim expires. */
  readonly wall: Clock;
}

/** The view of a customer who has not submitted KYC yet. */
const unsubmittedKyc = {
  status: 'PENDING' as const,
  panLast4: null,
  aadhaarLast4: null,
  pincode: null,
  reviewReason: null,
  submittedAt: null,
  reviewedAt: null,
};

/**
 * Presents a record. `sealer` is undefined if the customer's key was destroyed with the account, and the
 * sealed fields are then null.
 */
const presentRecord = (row: KycRow, sealer: Sealer | undefined) => ({
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
  if (row === undefined) return unsubmittedKyc;
  return presentRecord(row, (await vault.forUsers(db, [row.userId])).get(row.userId));
};

const fullNameOf = (row: KycRow, sealer: Sealer | undefined): string | null =>
  sealer === undefined || row.fullNameSealed === null
    ? null
    : openFullName(sealer, row.fullNameSealed, row.id);

/** The values of the fourth letter of a PAN that are known. The letter is the type of the holder. */
const knownHolderTypes = 'ABCFGHJLPT';

const warningsOf = (row: KycRow, sealer: Sealer | undefined): KycWarning[] => {
  if (sealer === undefined || row.panSealed === null) return [];
  const holderType = openPan(sealer, row.panSealed, row.id).charAt(3);
  return knownHolderTypes.includes(holderType) ? [] : ['PAN_HOLDER_UNKNOWN'];
};

const dateOfBirthOf = (row: KycRow, sealer: Sealer | undefined): string | null =>
  sealer === undefined || row.dateOfBirthSealed === null
    ? null
    : openDateOfBirth(sealer, row.dateOfBirthSealed, row.id);

type DocumentRow = Awaited<ReturnType<typeof listDocuments>>[number];

/**
 * Presents a record's documents by kind, newest first within each kind. Marks the documents of the newest
 * submission by the rule of `findSubmittedDocument`.
 */
const presentDocuments = (row: KycRow, documents: readonly DocumentRow[]) =>
  documentKinds.flatMap((kind) => {
    const ofKind = documents.filter((each) => each.userId === row.userId && each.kind === kind);
    const submittedDocument =
      ofKind.find(({ key }) => key === row.documentKey || key === row.selfieKey) ??
      ofKind.find(({ createdAt }) => row.submittedAt !== null && createdAt <= row.submittedAt);
    return ofKind.map(({ key, createdAt }) => ({
      kind,
      key,
      uploadedAt: createdAt.toISOString(),
      isSubmitted: row.submittedAt !== null && key === submittedDocument?.key,
    }));
  });

/** Presents records to operators, with the documents and the claims. */
export const presentKycForOperators = async (
  { db, vault, wall }: OperatorPresentDeps,
  rows: readonly KycRow[],
) => {
  const userIds = rows.map((row) => row.userId);
  const [sealers, documents, claims] = await Promise.all([
    vault.forUsers(db, userIds),
    listDocuments(db, userIds),
    findClaims(db, rows, wall.now()),
  ]);
  return rows.map((row) => ({
    ...presentRecord(row, sealers.get(row.userId)),
    id: row.id,
    userId: row.userId,
    fullName: fullNameOf(row, sealers.get(row.userId)),
    dateOfBirth: dateOfBirthOf(row, sealers.get(row.userId)),
    warnings: warningsOf(row, sealers.get(row.userId)),
    claim: claims.get(row.id) ?? null,
    documents: presentDocuments(row, documents),
  }));
};

/** Returns a customer's record as operators see it, or null if the customer has no record. */
export const readKycOfUser = async (deps: OperatorPresentDeps, userId: string) => {
  const row = await findKycByUser(deps.db, userId);
  return row === undefined ? null : ((await presentKycForOperators(deps, [row]))[0] ?? null);
};
