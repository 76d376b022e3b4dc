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
  /** Opens the checkout of the gateway's order, where its id does not. */
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
  /** The moment at which a mandate is debited, or null where the customer pays by the checkout. */
  readonly debitDueAt: Date | null;
  /** Of an installment: on that day its checkout counts towards the daily limit. */
  readonly checkoutOpenedAt: Date | null;
  readonly debitStatus: DebitStatus | null;
  readonly createdAt: Date;
  /** The trace of the request or job that made it, which its payment continues. */
  readonly traceparent: string | null;
}

/** An order that a gateway made. */
export interface MadeGatewayOrder {
  readonly gateway: string;
  readonly gatewayOrderId: string;
  readonly checkoutSession?: string;
}

export interface PaymentOrderRequest {
  readonly userId: string;
  readonly orderId: string;
  readonly quoteId?: string;
  /** From `chooseGateway`. */
  readonly gateway: string;
  readonly amountPaise: Paise;
  readonly method?: PaymentMethod | undefined;
  /** The version of the policy that the customer accepted. */
  readonly termsVersion?: string | undefined;
  /** The end of the checkout: of the price lock, or of an installment's 72 h. */
  readonly expiresAt?: Date;
  /** Of an installment whose checkout is opened now: it counts towards the daily limit of the day. */
  readonly checkoutOpenedAt?: Date;
  /** Instead of a checkout: the customer's mandate, and the moment at which it is debited. */
  readonly debit?: { readonly mandateTokenSealed: string; readonly dueAt: Date };
}

/** The disposition of a payment's money, or NONE without a payment. */
export type PaymentDisposition =
  | 'NONE'
  | 'APPLIED'
  | 'SECOND'
  | 'MISMATCH'
  | 'LATE'
  | 'UNMATCHED'
  | 'REFUNDED';

/** A payment that a gateway reported, as we keep it. */
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

/** Money of a captured payment that went away: paid back, or lost in a dispute. */
export type ReversalKind = 'REFUND' | 'DISPUTE';

/** A gateway's report of a reversal: by a webhook or when polled, it counts the same. */
export interface ReversalReport {
  readonly kind: ReversalKind;
  readonly gateway: string;
  readonly gatewayPaymentId: string;
  /** The gateway's id of the refund or dispute. */
  readonly reference?: string | undefined;
  /** The amount that went away, which may be a part of the payment's. */
  readonly amountPaise: Paise;
  /** The gateway's time, for the record. */
  readonly occurredAt: Date;
  readonly learnedAt: Date;
}

/** A refund or a lost dispute of a payment, as we keep it. */
export interface RecordedReversal {
  readonly id: string;
  readonly kind: ReversalKind;
  /** The gateway's id of it, or null where an event named none. */
  readonly reference: string | null;
  readonly amountPaise: Paise;
  /** No resolution has accounted for it yet. */
  readonly isOpen: boolean;
}

/** A captured payment of a gold order whose money was not paid back. */
export interface HeldPayment {
  readonly id: string;
  readonly gateway: string;
  readonly gatewayPaymentId: string;
  readonly gatewayOrderId: string | null;
  readonly paymentOrderId: string;
  /** The earliest time at which it was reported. */
  readonly createdAt: Date;
  readonly amountPaise: Paise;
  readonly currency: string;
  readonly disposition: PaymentDisposition;
  /** Amount and currency are those that were requested. */
  readonly isAsRequested: boolean;
  /** Reported as failed after its capture, which no resolution has judged yet. */
  readonly hasOpenFailure: boolean;
  /** Its known refunds and lost disputes. */
  readonly reversals: readonly RecordedReversal[];
}

/** A gateway's report of one payment: by a webhook or when polled, it counts the same. */
export interface PaymentReport {
  readonly kind: 'captured' | 'failed';
  readonly gateway: string;
  readonly gatewayOrderId: string;
  readonly gatewayPaymentId: string;
  readonly amountPaise: Paise;
  readonly currency: string;
  readonly method?: string;
  /** The gateway's time, for the record. */
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
  /** Real time. */
  readonly wall: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly vault: Vault;
  readonly metrics: PaymentMetrics;
  /** Bounds the queries at a gateway that a customer can cause for one payment order. */
  readonly questions: UseBound;
  readonly gateways: GatewaysByCode;
  /** Chooses only gateways that operators have set to `live`: production takes real money. */
  readonly liveOnly: boolean;
  readonly notify: Notify;
  /** The summaries that show what a review reserves. */
  readonly portfolios: Pick<PortfolioCache, 'drop'>;
  /** Returns whom the gateway deals with, or undefined when there is no such user. */
  readonly findCustomer: (db: Db, userId: string) => Promise<GatewayCustomer | undefined>;
}

/**
 * Makes the cause of an order's transition: the gateway's name of the event, or the other source of
 * the report.
 */
export const gatewayCause = (cause: string, gateway: string, requestId?: string): CausedBy => ({
  cause,
  actor: `gateway:${gateway}`,
  ...(requestId !== undefined && { requestId }),
});
