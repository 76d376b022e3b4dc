import type { PayoutNews } from '../../adapters/payout-provider/port.ts';
import type { Paise } from '../../money/index.ts';

/** decisions, section 3: payout. */
export const payoutStatuses = ['PENDING', 'PROCESSING', 'PAID', 'FAILED', 'REVERSED'] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];

export interface Payout {
  readonly id: string;
  readonly userId: string;
  readonly orderId: string;
  readonly bankAccountId: string;
  readonly accountLast4: string;
  readonly amountPaise: Paise;
  readonly status: PayoutStatus;
  readonly mode: string;
  /** The number of the newest attempt; 0 while none was started. */
  readonly attempt: number;
  readonly providerPayoutId: string | null;
  readonly utr: string | null;
  readonly failureReason: string | null;
  readonly approvalRequired: boolean;
  /** The operator who let this attempt, or the next one, go. */
  readonly approvedBy: string | null;
  readonly approvedAt: Date | null;
  readonly createdAt: Date;
  readonly paidAt: Date | null;
}

/**
 * INTENDED: about to be sent, or being sent for the first time, and never before. UNKNOWN: sent at
 * least once without an answer. PROCESSING: the provider has it. REFUSED: it certainly was not
 * taken, or never sent. The rest is the provider's word.
 */
export const attemptStatuses = [
  'INTENDED',
  'UNKNOWN',
  'PROCESSING',
  'REFUSED',
  'PAID',
  'FAILED',
  'REVERSED',
] as const;
export type AttemptStatus = (typeof attemptStatuses)[number];

/** One try to pay, under one key of the provider's. */
export interface PayoutAttempt {
  readonly id: string;
  readonly payoutId: string;
  readonly userId: string;
  readonly orderId: string;
  readonly attemptNo: number;
  readonly bankAccountId: string;
  readonly idempotencyKey: string;
  readonly status: AttemptStatus;
  readonly providerPayoutId: string | null;
  readonly startedAt: Date;
  /** When the provider was last sent it, or asked about it; null while it never was. */
  readonly lastAskedAt: Date | null;
}

export interface NewPayout {
  readonly userId: string;
  readonly orderId: string;
  readonly bankAccountId: string;
  readonly amountPaise: Paise;
}

/** What the provider says of an attempt: by an event or when asked, it counts the same. */
export type AttemptNews = Pick<
  PayoutNews,
  'providerPayoutId' | 'status' | 'utr' | 'failureReason' | 'amountPaise'
>;
