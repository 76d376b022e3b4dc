import type { Paise } from '../../money/index.ts';

/** decisions, section 3: payment order. REFUNDED only together with an order that fails. */
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

/** The instruments that a customer may ask for (decisions, section 4). */
export const paymentMethods = ['upi', 'card', 'netbanking', 'wallet'] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

/** The review codes that a payment can cause (decisions, section 3). */
export type PaymentReviewCode =
  | 'AMOUNT_MISMATCH'
  | 'CURRENCY_MISMATCH'
  | 'LATE_CAPTURE'
  | 'SECOND_CAPTURE'
  | 'FAILED_AFTER_PAID';

export interface PaymentOrder {
  readonly id: string;
  readonly userId: string;
  readonly orderId: string;
  readonly quoteId: string | null;
  readonly gateway: string;
  readonly gatewayOrderId: string | null;
  readonly amountPaise: Paise;
  readonly currency: string;
  readonly status: PaymentOrderStatus;
  readonly method: string | null;
  /** The payment whose money this payment order holds. */
  readonly capturedPaymentId: string | null;
  readonly paidAt: Date | null;
  readonly expiresAt: Date | null;
  readonly lastAskedAt: Date | null;
  readonly createdAt: Date;
}

/** Where a payment's money stands; NONE where there is none. */
export type PaymentStanding =
  | 'NONE'
  | 'APPLIED'
  | 'SECOND'
  | 'MISMATCH'
  | 'LATE'
  | 'UNMATCHED'
  | 'REFUNDED';

/** A payment that a gateway told us of, as we keep it. */
export interface RecordedPayment {
  readonly id: string;
  readonly gatewayPaymentId: string;
  readonly paymentOrderId: string | null;
  readonly status: 'CAPTURED' | 'FAILED' | 'REFUNDED';
  readonly standing: PaymentStanding;
}

/** What a gateway says of one payment: by a webhook or when asked, it counts the same. */
export interface PaymentFact {
  readonly kind: 'captured' | 'failed';
  readonly gateway: string;
  readonly gatewayOrderId: string;
  readonly gatewayPaymentId: string;
  readonly amountPaise: Paise;
  readonly currency: string;
  readonly method?: string;
  /** The gateway's time, for the record. */
  readonly occurredAt: Date;
  /** Ours, and the one that counts (decisions, section 3). */
  readonly learnedAt: Date;
}
