import type { Sealer } from '../../platform/crypto/index.ts';
import { openFullName } from './kyc-sealing.ts';
import { toKycStatus, type KycRow } from './kyc.store.ts';

/** The customer's view; without a record, a KYC that has not begun. */
export const presentKyc = (row: KycRow | undefined) => ({
  status: row === undefined ? ('PENDING' as const) : toKycStatus(row.status),
  panLast4: row?.panLast4 ?? null,
  aadhaarLast4: row?.aadhaarLast4 ?? null,
  pincode: row?.pincode ?? null,
  reviewReason: row?.reviewReason ?? null,
  submittedAt: row?.submittedAt?.toISOString() ?? null,
  reviewedAt: row?.reviewedAt?.toISOString() ?? null,
});

export interface OperatorContext {
  /** Absent once the customer's key is destroyed. */
  readonly sealer: Sealer | undefined;
  readonly documents: readonly { readonly kind: string; readonly key: string }[];
}

/** The operators' view. */
export const presentKycForOperator = (row: KycRow, { sealer, documents }: OperatorContext) => ({
  ...presentKyc(row),
  id: row.id,
  userId: row.userId,
  fullName:
    sealer === undefined || row.fullNameSealed === null
      ? null
      : openFullName(sealer, row.fullNameSealed, row.id),
  documents: documents.map(({ kind, key }) => ({ kind, key })),
});
