import type { Grams } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';

export const kycStatuses = ['PENDING', 'SUBMITTED', 'APPROVED', 'REJECTED'] as const;
export type KycStatus = (typeof kycStatuses)[number];

export const documentKinds = ['PAN', 'AADHAAR_FRONT', 'AADHAAR_BACK', 'SELFIE'] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** What KYC needs to know of a customer. */
export interface KycCustomer {
  readonly phone: string;
  readonly fullName: string | undefined;
  readonly email: string | undefined;
  readonly providerUserId: string | undefined;
}

/** The customers, as their own module serves them. */
export interface KycCustomers {
  find(db: Db, userId: string): Promise<KycCustomer | undefined>;
  setProviderUserId(db: Db, userId: string, providerUserId: string): Promise<void>;
}

/** Grams that we hold for a customer, to compare with the provider's own books. */
export type HeldGrams = (db: Db, userId: string) => Promise<Grams>;

/** Writes a notification in the caller's transaction. */
export type Notify = (
  db: Db,
  notification: {
    readonly userId: string;
    readonly type: 'kyc_approved' | 'kyc_rejected' | 'kyc_resubmit';
    readonly title: string;
    readonly body: string;
    readonly data?: Readonly<Record<string, string>>;
  },
) => Promise<void>;
