/** Who is paid. */
export interface Contact {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly contact: string | null;
  readonly type: string | null;
  readonly reference_id: string | null;
  readonly created_at: number;
}

/** Where a contact is paid; never changed. */
export interface FundAccount {
  readonly id: string;
  readonly contact_id: string;
  readonly name: string;
  readonly ifsc: string;
  readonly account_number: string;
  readonly created_at: number;
}

type PayoutStatus = 'processing' | 'processed' | 'failed' | 'rejected' | 'reversed';

/** A payout; `created_at` is in seconds. */
export interface Payout {
  readonly id: string;
  readonly idempotency_key: string;
  /** The body it was asked with: a repeat of its key must bring the same. */
  readonly asked: unknown;
  readonly fund_account_id: string;
  readonly amount: number;
  readonly mode: string;
  readonly purpose: string;
  readonly reference_id: string | null;
  readonly narration: string | null;
  readonly status: PayoutStatus;
  readonly utr: string | null;
  readonly created_at: number;
}

/** A penny-drop. */
export interface Validation {
  readonly id: string;
  readonly fund_account_id: string;
  readonly reference_id: string | null;
  readonly status: 'created' | 'completed' | 'failed';
  readonly account_status: 'active' | 'invalid' | null;
  readonly created_at: number;
}
