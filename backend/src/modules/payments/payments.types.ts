import type { GatewayCustomer, PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import type { Paise } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Timers } from '../../platform/clock/timers.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { UseBound } from '../../platform/use-bounds/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { PortfolioCache } from '../holdings/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { CausedBy } from '../orders/index.ts';
import type { InboxDeps } from '../webhook-inbox/index.ts';
import type { PaymentMetrics } from './payments.metrics.ts';

/** The states of a payment order (contract: states > Payment order). */
export const paymentOrderStatuses = [
  'CREATED',
  'GATEWAY_ORDER_CREATED',
  'PAID',
  'FAILED',
  'MANUAL_REVIEW',
  'EXPIRED',
  'REFUNDED',
] as const;
export type PaymentOrderStatus = (typeof paymentOrderStatuses)[number];

/** The instruments that a customer may choose. */
export const paymentMethods = ['upi', 'card', 'netbanking', 'wallet'] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

/** The review codes that a payment can cause (contract: states > Manual review). */
export type PaymentReviewCode =
  | 'AMOUNT_MISMATCH'
  | 'CURRENCY_MISMATCH'
  | 'LATE_CAPTURE'
  | 'SECOND_CAPTURE'
  | 'FAILED_AFTER_PAID';

/**
 * The state of a mandate's debit. SCHEDULED: not requested yet. INTENDED: about to be requested.
 * UNKNOWN: requested, and it is unknown whether the gateway accepted it. ACCEPTED: the gateway is
 * processing it. Its payment is reported like any other. REFUSED: it certainly will not happen.
 */
export type DebitStatus = 'SCHEDULED' | 'INTENDED' | 'UNKNOWN' | 'ACCEPTED' | 'REFUSED';

export interface PaymentOrder {
  readonly id: string;
  readonly userId: string;
  readonly orderId: string;
  readonly quoteId: string | null;
  readonly gateway: string;
  readonly gatewayOrderId: string | null;
  /** The session that opens the gateway's checkout, or null if the order's id opens it. */
  readonly checkoutSession: string | null;
  readonly amountPaise: Paise;
  readonly currency: string;
  readonly status: PaymentOrderStatus;
  readonly method: string | null;
  /** The payment whose money this payment order holds. */
  readonly capturedPaymentId: string | null;
  readonly paidAt: Date | null;
  readonly expiresAt: Date | null;
  readonly lastAskedAt: Date | null;
  /** The moment at which a mandate is debited, or null if the customer pays at the checkout. */
  readonly debitDueAt: Date | null;
  /**
   * The time at which an installment's checkout was opened, or null. It counts towards the daily
   * limit of that day.
   */
  readonly checkoutOpenedAt: Date | null;
  readonly debitStatus: DebitStatus | null;
  readonly createdAt: Date;
  /**
   * The trace of the request or job that created the payment order. Its payment continues the
   * trace.
   */
  readonly traceparent: string | null;
}

/** The gateway's order of a payment order, as a gateway created it. */
export interface CreatedGatewayOrder {
  readonly gateway: string;
  readonly gatewayOrderId: string;
  readonly checkoutSession?: string;
}

export interface PaymentOrderRequest {
  readonly userId: string;
  readonly orderId: string;
  readonly quoteId?: string;
  /** The gateway that `chooseGateway` returned. */
  readonly gateway: string;
  readonly amountPaise: Paise;
  readonly method?: PaymentMethod | undefined;
  /** The version of the policy that the customer accepted. */
  readonly termsVersion?: string | undefined;
  /**
   * The time at which the checkout ends. The checkout of a purchase ends with its price lock, and
   * that of an installment after 72 h.
   */
  readonly expiresAt?: Date;
  /**
   * The time of the request, if it opens the checkout of an installment. The installment counts
   * towards the daily limit of that day.
   */
  readonly checkoutOpenedAt?: Date;
  /**
   * The customer's mandate and the time at which it is debited. Present if the customer pays
   * without a checkout.
   */
  readonly debit?: { readonly mandateTokenSealed: string; readonly dueAt: Date };
}

/**
 * The disposition of a reported payment. NONE: the payment failed, so there is no money. APPLIED:
 * the money pays for its order's gold. SECOND: the order already had a payment. MISMATCH: the amount
 * or the currency differs from the request. LATE: the order could no longer be allocated. UNMATCHED:
 * no order is known. REFUNDED: the money was paid back.
 */
export type PaymentDisposition =
  | 'NONE'
  | 'APPLIED'
  | 'SECOND'
  | 'MISMATCH'
  | 'LATE'
  | 'UNMATCHED'
  | 'REFUNDED';

/** A payment that a gateway reported, as it is recorded. */
export interface RecordedPayment {
  readonly id: string;
  readonly gatewayPaymentId: string;
  readonly gateway: string;
  readonly paymentOrderId: string | null;
  readonly status: 'CAPTURED' | 'FAILED' | 'REFUNDED';
  readonly disposition: PaymentDisposition;
  readonly amountPaise: Paise;
  readonly currency: string;
  /** The time at which it was reported as failed after its capture, or null. */
  readonly failedAfterCaptureAt: Date | null;
}

/** The kind of a reversal: a captured payment was refunded, or lost in a dispute. */
export type ReversalKind = 'REFUND' | 'DISPUTE';

/** A gateway's report of a reversal. A webhook and a poll have the same effect. */
export interface ReversalReport {
  readonly kind: ReversalKind;
  readonly gateway: string;
  readonly gatewayPaymentId: string;
  /** The gateway's id of the refund or dispute. */
  readonly reference?: string | undefined;
  /** The reversed amount, which may be a part of the payment's amount. */
  readonly amountPaise: Paise;
  /** The gateway's time, which is recorded but decides nothing. */
  readonly occurredAt: Date;
  readonly learnedAt: Date;
}

/** A refund or a lost dispute of a payment, as it is recorded. */
export interface RecordedReversal {
  readonly id: string;
  readonly kind: ReversalKind;
  /** The gateway's id of the reversal, or null if the event had no id. */
  readonly reference: string | null;
  readonly amountPaise: Paise;
  /** True if no resolution has accounted for the reversal yet. */
  readonly isOpen: boolean;
}

/** A captured payment of a gold order whose money was not paid back. */
export interface HeldPayment {
  readonly id: string;
  readonly gateway: string;
  readonly gatewayPaymentId: string;
  readonly gatewayOrderId: string | null;
  readonly paymentOrderId: string;
  /** The gateway's time of the payment or our time of the report. The earlier time counts. */
  readonly createdAt: Date;
  readonly amountPaise: Paise;
  readonly currency: string;
  readonly disposition: PaymentDisposition;
  /** True if the amount and the currency are as requested. */
  readonly isAsRequested: boolean;
  /**
   * True if the payment was reported as failed after its capture and no resolution has decided that
   * yet.
   */
  readonly hasOpenFailure: boolean;
  /** The refunds and lost disputes of the payment that were recorded so far. */
  readonly reversals: readonly RecordedReversal[];
}

/** A gateway's report of one payment. A webhook and a poll have the same effect. */
export interface PaymentReport {
  readonly kind: 'captured' | 'failed';
  readonly gateway: string;
  readonly gatewayOrderId: string;
  readonly gatewayPaymentId: string;
  readonly amountPaise: Paise;
  readonly currency: string;
  readonly method?: string;
  /** The gateway's time, which is recorded but decides nothing. */
  readonly occurredAt: Date;
  /** The time of our clock, which decides (contract: states > Late captures). */
  readonly learnedAt: Date;
}

/** The gateways with an adapter, by code, in the order of the configuration. */
export type GatewaysByCode = ReadonlyMap<string, PaymentGateway>;

/** The dependencies that the use cases of payments share. */
export interface PaymentsDeps extends Pick<InboxDeps, 'observeEvent'> {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  /** The clock of real time. */
  readonly wall: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly vault: Vault;
  readonly metrics: PaymentMetrics;
  /** Bounds the gateway queries that a customer can cause for one payment order. */
  readonly questions: UseBound;
  readonly gateways: GatewaysByCode;
  /** True if only gateways in mode `live` may be chosen, as in production. */
  readonly liveOnly: boolean;
  readonly notify: Notify;
  /** The cached portfolio summaries, which show the grams that a review reserves. */
  readonly portfolios: Pick<PortfolioCache, 'drop'>;
  /** Returns the user's data that a gateway requires, or undefined if there is no such user. */
  readonly findCustomer: (db: Db, userId: string) => Promise<GatewayCustomer | undefined>;
}

/**
 * Creates the cause of an order's transition. `cause` is the gateway's name of the event, or
 * another source of the report.
 */
export const gatewayCause = (cause: string, gateway: string, requestId?: string): CausedBy => ({
  cause,
  actor: `gateway:${gateway}`,
  ...(requestId !== undefined && { requestId }),
});
