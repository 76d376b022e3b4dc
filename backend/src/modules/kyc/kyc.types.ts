import type { Db } from '../../platform/db/index.ts';

export const documentKinds = ['PAN', 'AADHAAR_FRONT', 'AADHAAR_BACK', 'SELFIE'] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** Warnings for the reviewer of a submission. They do not refuse the submission. */
export const kycWarnings = ['PAN_HOLDER_UNKNOWN'] as const;
export type KycWarning = (typeof kycWarnings)[number];

/** Notifies the customer, in the caller's transaction. */
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
