import { readAlone, readOf, selectOne, sql, type Db, type Read } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { kycStatuses, type KycStatus } from '../identity/index.ts';
import type { DocumentKind } from './kyc.types.ts';
import { firstId } from '../../platform/ids/first-id.ts';

/* The tables `kyc_record` and `kyc_document`. */

export interface SubmittedFields {
  readonly panSealed: string;
  readonly panLast4: string;
  readonly panHash: string;
  readonly aadhaarSealed: string;
  readonly aadhaarLast4: string;
  readonly aadhaarHash: string;
  readonly hashKey: string;
  readonly fullNameSealed: string;
  readonly dateOfBirthSealed: string | null;
  readonly pincodeSealed: string;
  readonly documentKey: string;
  readonly selfieKey: string | null;
}

interface NewDocument {
  readonly id: string;
  readonly userId: string;
  readonly kind: DocumentKind;
  readonly key: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly createdAt: Date;
}

/** Parses a status that was read from the database. Throws if the text is not a KYC status. */
export const toKycStatus = (text: string): KycStatus => {
  const status = kycStatuses.find((known) => known === text);
  invariant(status, `${text} is a KYC status`);
  return status;
};

/** Returns the record of a customer, or undefined if there is none. */
export const findKycByUser = async (db: Db, userId: string) =>
  (await db.kycRecord.findUnique({ where: { userId } })) ?? undefined;

/** Returns a record, or undefined if there is none. */
export const findKyc = async (db: Db, id: string) =>
  (await db.kycRecord.findUnique({ where: { id } })) ?? undefined;

export type KycRow = NonNullable<Awaited<ReturnType<typeof findKyc>>>;

/** Returns a record that this transaction has locked, so that it must exist. */
export const requireKyc = async (tx: Db, id: string): Promise<KycRow> => {
  const row = await findKyc(tx, id);
  invariant(row, 'a locked KYC record exists');
  return row;
};

/** Locks the customer's record. Returns undefined if there is none. */
export const lockKycOfUser = async (
  tx: Db,
  userId: string,
): Promise<{ readonly id: string; readonly status: KycStatus } | undefined> => {
  const row = await selectOne<{ id: string; status: string }>(
    tx,
    sql`SELECT id, status FROM kyc_record WHERE user_id = ${userId}::uuid FOR UPDATE`,
  );
  return row === undefined ? undefined : { id: row.id, status: toKycStatus(row.status) };
};

/** Locks the customer's record, or inserts it as PENDING if there is none. */
export const lockOrInsertKyc = async (
  tx: Db,
  id: string,
  userId: string,
  now: Date,
): Promise<{ readonly id: string; readonly status: KycStatus }> => {
  // `create` would fail if another submission has inserted the record in the meantime.
  await tx.kycRecord.createMany({
    data: [{ id, userId, status: 'PENDING', createdAt: now, updatedAt: now }],
    skipDuplicates: true,
  });
  const row = await lockKycOfUser(tx, userId);
  invariant(row, 'a KYC record that was just inserted exists');
  return row;
};

/** The values of the claim columns after a decision or a new submission, which end the claim. */
const clearedClaim = { claimedBy: null, claimedUntil: null } as const;

/**
 * Marks a record as submitted if its status is still `from`. Returns the number of changed rows.
 */
export const markSubmitted = async (
  tx: Db,
  { id, from }: { readonly id: string; readonly from: KycStatus },
  fields: SubmittedFields,
  now: Date,
): Promise<number> => {
  const { count } = await tx.kycRecord.updateMany({
    where: { id, status: from },
    data: {
      ...fields,
      pincode: null,
      status: 'SUBMITTED',
      submittedAt: now,
      updatedAt: now,
      reviewReason: null,
      reviewReasonSealed: null,
      reviewedAt: null,
      reviewedBy: null,
      ...clearedClaim,
    },
  });
  return count;
};

/**
 * Returns true if another record that is SUBMITTED or APPROVED has one of these hashes. The caller must
 * hold `lockText` for each number. Otherwise another submission could add the number in the meantime,
 * because the unique indexes cannot compare hashes by different keys.
 */
export const areNumbersTaken = async (
  tx: Db,
  id: string,
  { pan, aadhaar }: { readonly pan: readonly string[]; readonly aadhaar: readonly string[] },
): Promise<boolean> => {
  const found = await tx.kycRecord.findFirst({
    where: {
      id: { not: id },
      status: { in: ['SUBMITTED', 'APPROVED'] },
      OR: [{ panHash: { in: [...pan] } }, { aadhaarHash: { in: [...aadhaar] } }],
    },
    select: { id: true },
  });
  return found !== null;
};

/** Selects one batch of a list that is ordered by id. */
interface Batch {
  /** The last id of the previous batch, or undefined for the first batch. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Lists records whose numbers were not hashed with the key `keyId`, ordered by id. */
export const listOutdatedHashes = (
  db: Db,
  keyId: string,
  { after = firstId, limit }: Batch,
): Promise<KycRow[]> =>
  db.kycRecord.findMany({
    where: {
      id: { gt: after },
      panHash: { not: null },
      OR: [{ hashKey: null }, { hashKey: { not: keyId } }],
    },
    orderBy: { id: 'asc' },
    take: limit,
  });

/** Replaces the hashes of a record, unless they have changed since the caller read them. */
export const updateHashes = async (
  db: Db,
  { id, panHash, aadhaarHash }: Pick<KycRow, 'id' | 'panHash' | 'aadhaarHash'>,
  newHashes: Partial<Pick<SubmittedFields, 'panHash' | 'aadhaarHash'>> & {
    readonly hashKey: string;
  },
): Promise<void> => {
  await db.kycRecord.updateMany({ where: { id, panHash, aadhaarHash }, data: newHashes });
};

/**
 * Marks a record as reviewed. Changes nothing if the record is no longer SUBMITTED, or if the customer
 * has submitted it again since the submission at `submittedAt`, which the reviewer saw. Returns the
 * number of changed rows.
 */
export const markReviewed = async (
  tx: Db,
  { id, submittedAt }: { readonly id: string; readonly submittedAt: Date | null },
  to: 'APPROVED' | 'REJECTED' | 'PENDING',
  review: { readonly adminId: string; readonly now: Date; readonly reasonSealed: string | null },
): Promise<number> => {
  const { count } = await tx.kycRecord.updateMany({
    where: { id, status: 'SUBMITTED', submittedAt },
    data: {
      status: to,
      reviewedBy: review.adminId,
      reviewedAt: review.now,
      reviewReason: null,
      reviewReasonSealed: review.reasonSealed,
      updatedAt: review.now,
      ...clearedClaim,
      ...(to === 'APPROVED' && { providerRegisteredAt: review.now }),
    },
  });
  return count;
};

/**
 * Sets a record to PENDING if its status is still `from`, so that the customer must submit again.
 * Returns the number of changed rows.
 */
export const markForReverification = async (
  tx: Db,
  { id, from }: { readonly id: string; readonly from: KycStatus },
  review: { readonly adminId: string; readonly now: Date; readonly reasonSealed: string | null },
): Promise<number> => {
  const { count } = await tx.kycRecord.updateMany({
    where: { id, status: from },
    data: {
      status: 'PENDING',
      reviewedBy: review.adminId,
      reviewedAt: review.now,
      reviewReason: null,
      reviewReasonSealed: review.reasonSealed,
      reverifiedAt: review.now,
      updatedAt: review.now,
      ...clearedClaim,
    },
  });
  return count;
};

/** Lists records with a field in plain text, ordered by id. New records have only sealed fields. */
export const listUnsealed = (db: Db, { after = firstId, limit }: Batch): Promise<KycRow[]> =>
  db.kycRecord.findMany({
    where: {
      id: { gt: after },
      OR: [{ pincode: { not: null } }, { reviewReason: { not: null } }],
    },
    orderBy: { id: 'asc' },
    take: limit,
  });

/** Replaces the plain-text fields, unless they have changed since the caller read them. */
export const updateUnsealed = async (
  db: Db,
  { id, pincode, reviewReason }: Pick<KycRow, 'id' | 'pincode' | 'reviewReason'>,
  sealed: { readonly pincodeSealed?: string; readonly reviewReasonSealed?: string },
): Promise<void> => {
  await db.kycRecord.updateMany({
    where: { id, pincode, reviewReason },
    data: { ...sealed, pincode: null, reviewReason: null },
  });
};

/** Inserts the row of an uploaded document. */
export const insertDocument = async (db: Db, document: NewDocument): Promise<void> => {
  await db.kycDocument.create({ data: document });
};

/** Counts the documents that a customer has uploaded since the last forced reverification, or ever. */
export const countDocuments = async (db: Db, userId: string): Promise<number> => {
  const record = await db.kycRecord.findUnique({
    where: { userId },
    select: { reverifiedAt: true },
  });
  const reverifiedAt = record?.reverifiedAt ?? undefined;
  return db.kycDocument.count({
    where: { userId, ...(reverifiedAt !== undefined && { createdAt: { gte: reverifiedAt } }) },
  });
};

/** Returns a customer's document by its key in the object store, or undefined if there is none. */
export const findDocument = async (db: Db, userId: string, key: string) =>
  (await db.kycDocument.findFirst({ where: { userId, key } })) ?? undefined;

/**
 * Returns the document of a kind that belongs to a record's newest submission. Prefers the document
 * that the submission names. If the submission names no document of this kind, returns the newest
 * document of the kind that was uploaded before the submission.
 */
export const findSubmittedDocument = async (
  db: Db,
  record: Pick<KycRow, 'userId' | 'documentKey' | 'selfieKey' | 'submittedAt'>,
  kind: DocumentKind,
) => {
  const { userId, documentKey, selfieKey, submittedAt } = record;
  if (submittedAt === null) return undefined;
  const submittedKeys = [documentKey, selfieKey].filter((key) => key !== null);
  return (
    (await db.kycDocument.findFirst({ where: { userId, kind, key: { in: submittedKeys } } })) ??
    (await db.kycDocument.findFirst({
      where: { userId, kind, createdAt: { lte: submittedAt } },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    })) ??
    undefined
  );
};

/** Lists the documents of these customers, newest first. */
export const listDocuments = (db: Db, userIds: readonly string[]) =>
  db.kycDocument.findMany({
    where: { userId: { in: [...userIds] } },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    select: { userId: true, kind: true, key: true, createdAt: true },
  });

/** Lists documents whose customers are deleted, ordered by id. */
export const listDocumentsOfDeleted = (db: Db, { after = firstId, limit }: Batch) =>
  db.kycDocument.findMany({
    where: { id: { gt: after }, user: { deletedAt: { not: null } } },
    orderBy: { id: 'asc' },
    take: limit,
    select: { id: true, key: true },
  });

/** Deletes the row of a document. The caller has deleted its object from the object store. */
export const deleteDocument = async (db: Db, id: string): Promise<void> => {
  await db.kycDocument.deleteMany({ where: { id } });
};

/**
 * Reads the customer's KYC status, which is PENDING until the first submission. The query is raw SQL
 * for speed, since every quote and every purchase reads the status.
 */
export const readKycStatus = (userId: string): Read<KycStatus> =>
  readOf(
    sql`SELECT status FROM kyc_record WHERE user_id = ${userId}::uuid`,
    (row: { readonly status: string } | undefined) =>
      row === undefined ? 'PENDING' : toKycStatus(row.status),
  );

/** Returns the customer's KYC status. */
export const findKycStatus = (db: Db, userId: string): Promise<KycStatus> =>
  readAlone(db, readKycStatus(userId));

/** @throws AppError KYC_REQUIRED unless the status is APPROVED */
export const requireApproved = (status: KycStatus): void => {
  if (status !== 'APPROVED') throw new AppError('KYC_REQUIRED', { details: { status } });
};

/** @throws AppError KYC_REQUIRED unless the customer's KYC is APPROVED */
export const requireApprovedKyc = async (db: Db, userId: string): Promise<void> =>
  requireApproved(await findKycStatus(db, userId));
