import type { Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import { statesBefore } from './kyc.states.ts';
import { kycStatuses, type DocumentKind, type KycStatus } from './kyc.types.ts';

export interface SubmittedFields {
  readonly panSealed: string;
  readonly panLast4: string;
  readonly panHash: string;
  readonly aadhaarSealed: string;
  readonly aadhaarLast4: string;
  readonly aadhaarHash: string;
  readonly fullNameSealed: string;
  readonly dateOfBirthSealed: string | null;
  readonly pincode: string;
  readonly documentKey: string;
  readonly selfieKey: string | null;
}

export interface NewDocument {
  readonly id: string;
  readonly userId: string;
  readonly kind: DocumentKind;
  readonly key: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly createdAt: Date;
}

export const toKycStatus = (text: string): KycStatus => {
  const status = kycStatuses.find((known) => known === text);
  if (status === undefined) throw new Error(`unknown KYC status ${text}`);
  return status;
};

/** The rows of `kyc_record` and `kyc_document`. */
export const createKycStore = (db: Db) => ({
  async findByUser(userId: string) {
    return (await db.kycRecord.findUnique({ where: { userId } })) ?? undefined;
  },

  async findById(id: string) {
    return (await db.kycRecord.findUnique({ where: { id } })) ?? undefined;
  },

  /** The customer's record, made PENDING where there is none, and locked. */
  async lockOrMake(id: string, userId: string, at: Date): Promise<string> {
    await db.$executeRaw`
      INSERT INTO kyc_record (id, user_id, status, created_at, updated_at)
      VALUES (${id}::uuid, ${userId}::uuid, 'PENDING', ${at}, ${at})
      ON CONFLICT (user_id) DO NOTHING`;
    const rows = await db.$queryRaw<{ id: string }[]>`
      SELECT id FROM kyc_record WHERE user_id = ${userId}::uuid FOR UPDATE`;
    return rows[0]?.id ?? id;
  },

  /** PENDING or REJECTED to SUBMITTED; false when the record is elsewhere. */
  async submit(id: string, fields: SubmittedFields, at: Date): Promise<boolean> {
    const { count } = await db.kycRecord.updateMany({
      where: { id, status: { in: statesBefore('SUBMITTED') } },
      data: {
        ...fields,
        status: 'SUBMITTED',
        submittedAt: at,
        updatedAt: at,
        reviewReason: null,
        reviewedAt: null,
        reviewedBy: null,
      },
    });
    return count === 1;
  },

  /**
   * A reviewer's move of the very submission they decided on; false when the record has left
   * SUBMITTED, also when it was submitted anew since.
   */
  async review(
    { id, submittedAt }: { readonly id: string; readonly submittedAt: Date | null },
    to: 'APPROVED' | 'REJECTED' | 'PENDING',
    review: { readonly by: string; readonly at: Date; readonly reason: string | null },
  ): Promise<boolean> {
    const { count } = await db.kycRecord.updateMany({
      where: { id, status: 'SUBMITTED', submittedAt },
      data: {
        status: to,
        reviewedBy: review.by,
        reviewedAt: review.at,
        reviewReason: review.reason,
        updatedAt: review.at,
        ...(to === 'APPROVED' && { providerRegisteredAt: review.at }),
      },
    });
    return count === 1;
  },

  /** A page of one status, the longest waiting last. */
  async list(status: KycStatus, page: Page) {
    const where = { status };
    const [rows, total] = await Promise.all([
      db.kycRecord.findMany({
        where,
        orderBy: [{ submittedAt: 'desc' }, { id: 'desc' }],
        skip: offsetOf(page),
        take: page.limit,
      }),
      db.kycRecord.count({ where }),
    ]);
    return { rows, total };
  },

  async insertDocument(document: NewDocument): Promise<void> {
    await db.kycDocument.create({ data: document });
  },

  async countDocuments(userId: string): Promise<number> {
    return db.kycDocument.count({ where: { userId } });
  },

  async findDocument(userId: string, key: string) {
    return (await db.kycDocument.findFirst({ where: { userId, key } })) ?? undefined;
  },

  async documentsOf(userIds: readonly string[]) {
    return db.kycDocument.findMany({
      where: { userId: { in: [...userIds] } },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      select: { userId: true, kind: true, key: true },
    });
  },
});

export type KycRow = NonNullable<
  Awaited<ReturnType<ReturnType<typeof createKycStore>['findById']>>
>;
