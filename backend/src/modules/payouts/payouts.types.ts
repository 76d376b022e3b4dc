import type { PayoutProvider, PayoutReport } from '../../adapters/payout-provider/port.ts';
import type { Paise } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger, Metrics } from '../../platform/observability/index.ts';
import type { Auditor } from '../audit/index.ts';
import type { Banking } from '../banking/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { InboxDeps } from '../webhook-inbox/index.ts';

export const payoutStatuses = ['PENDING', 'PROCESSING', 'PAID', 'FAILED', 'REVERSED'] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];

/** The holds of a payout. The cap is not one of them (contract: payouts > Payout holds). */
export const payoutHolds = ['NEW_ACCOUNT', 'NAME_MATCH', 'DAILY_SUM', 'DAILY_COUNT'] as const;
export type PayoutHold = (typeof payoutHolds)[number];

export interface Payout {
  readonly id: string;
  readonly userId: string;
  readonly orderId: string;
  readonly bankAccountId: string;
  readonly accountLast4: string;
  readonly amountPaise: Paise;
  readonly status: PayoutStatus;
  readonly mode: string;
  /** The number of the newest attempt, or 0 before the first attempt. */
  readonly attempt: number;
  readonly providerPayoutId: string | null;
  readonly utr: string | null;
  readonly failureReason: string | null;
  readonly approvalRequired: boolean;
  /**
   * The hold that was found when the payout was written or retried to another account, or null. An
   * approval releases it.
   */
  readonly hold: PayoutHold | null;
  /** The operator who approved the newest attempt, or the attempt that is about to start. */
  readonly approvedBy: string | null;
  readonly approvedAt: Date | null;
  readonly createdAt: Date;
  readonly paidAt: Date | null;
}

/**
 * The states of a payout attempt. An INTENDED attempt is about to be sent, or is being sent, for the
 * first time. An UNKNOWN attempt was sent at least once without a response. A PROCESSING attempt was
 * accepted by the provider. A REFUSED attempt was never sent, or was certainly not accepted. The other
 * states are the provider's reports.
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

/** One attempt to pay, with its own idempotency key at the provider. */
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
  /**
   * The time of the provider's first report that contradicts an earlier report, or null if none
   * does.
   */
  readonly contradictedAt: Date | null;
  /** The time at which a worker last sent or queried the attempt, or null before the first time. */
  readonly lastAskedAt: Date | null;
  /**
   * The time of the last send, or null if no request can have reached the provider.
   */
  readonly sentAt: Date | null;
  /**
   * The worker that holds the lease, or null. It is still stored after the lease has expired, until
   * another worker acquires the lease.
   */
  readonly holderId: string | null;
}

export interface NewPayout {
  readonly userId: string;
  readonly orderId: string;
  readonly bankAccountId: string;
  readonly amountPaise: Paise;
}

/** The provider's report of an attempt, from an event or from a response. */
export type AttemptReport = Pick<
  PayoutReport,
  'providerPayoutId' | 'fundAccountId' | 'status' | 'utr' | 'failureReason' | 'amountPaise'
>;

export interface PayoutsDeps extends Pick<InboxDeps, 'observeEvent'> {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly logger: Logger;
  readonly provider: PayoutProvider;
  readonly notify: Notify;
  readonly audit: Auditor;
  readonly metrics: Pick<Metrics, 'countBoundReached' | 'countCall'>;
  readonly banking: Pick<Banking, 'applyValidation' | 'ensureFundAccount' | 'ownerOfValidation'>;
}
