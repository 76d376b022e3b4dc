/** Buying or selling, as seen by the customer. */
export type Side = 'buy' | 'sell';

/** 0 not confirmed, 1 success, 2 failed, 3 in progress (pages buy-status-api, sell-status-api). */
type TransactionStatus = 0 | 1 | 2 | 3;

/** A customer in SafeGold's books; the phone number is the identity. */
export interface SafegoldUser {
  readonly id: number;
  readonly name: string;
  readonly mobileNo: string;
  readonly pincode: string;
  readonly email: string | null;
  readonly hasIdentity: boolean;
  readonly hasPan: boolean;
}

/** A price that was quoted and holds until `expiresAtMs`. */
export interface Rate {
  readonly id: number;
  readonly side: Side;
  readonly paise: bigint;
  readonly expiresAtMs: number;
}

/** A verified buy or sell; weights in 0.0001 g. */
export interface Transaction {
  readonly id: number;
  readonly side: Side;
  readonly userId: number;
  readonly rateId: number;
  /** Per gram, before tax. */
  readonly ratePaise: bigint;
  readonly weight: bigint;
  readonly amountPaise: bigint;
  readonly verifiedAtMs: number;
  readonly status: TransactionStatus;
  readonly invoiceId: string | null;
}
