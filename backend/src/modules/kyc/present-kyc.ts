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

/**
 * Presents a record. Without a sealer (the key was destroyed with the account) the sealed fields
 * are missing.
 */
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

type DocumentRow = Awaited<ReturnType<typeof listDocuments>>[number];

/**
 * Presents a record's documents by kind, of each the newest first, and marks those of the newest
 * submission: that it names, else the newest of their kind that was uploaded before it.
 */
const presentDocuments = (row: KycRow, all: readonly DocumentRow[]) =>
  documentKinds.flatMap((kind) => {
    const own = all.filter((each) => each.userId === row.userId && each.kind === kind);
    const submitted =
      own.find(({ key }) => key === row.documentKey || key === row.selfieKey) ??
      own.find(({ createdAt }) => row.submittedAt !== null && createdAt <= row.submittedAt);
    return own.map(({ key, createdAt }) => ({
      kind,
      key,
      uploadedAt: createdAt.toISOString(),
      isSubmitted: row.submittedAt !== null && key === submitted?.key,
    }));
  });

/** Presents records to operators, with their documents. */
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
    ...present(row, sealers.get(row.userId)),
    id: row.id,
    userId: row.userId,
    fullName: fullNameOf(row, sealers.get(row.userId)),
    dateOfBirth: dateOfBirthOf(row, sealers.get(row.userId)),
    warnings: warningsOf(row, sealers.get(row.userId)),
    claim: claims.get(row.id) ?? null,
    documents: presentDocuments(row, documents),
  }));
};

/** Returns a customer's record as operators see it, or null where KYC has not begun. */
export const readKycOfUser = async (deps: OperatorPresentDeps, userId: string) => {
  const row = await findKycByUser(deps.db, userId);
  return row === undefined ? null : ((await presentKycForOperators(deps, [row]))[0] ?? null);
};
