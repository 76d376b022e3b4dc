import { formatRupees, type Paise } from '../../money/index.ts';
import type { BuyStatus } from '../orders/index.ts';
import type {
  PaymentDisposition,
  PaymentOrderStatus,
  PaymentReviewCode,
  RecordedPayment,
} from './payments.types.ts';

export interface CaptureFacts {
  readonly payment: {
    readonly amountPaise: Paise;
    readonly currency: string;
    readonly learnedAt: Date;
  };
  /** The payment as earlier reports recorded it. */
  readonly known: Pick<RecordedPayment, 'status' | 'disposition'> | undefined;
  /** True if the order holds money of another payment that was not paid back. */
  readonly hasOtherCapture: boolean;
  /** True if the customer was deleted, so that no account can hold the gold. */
  readonly isCustomerDeleted: boolean;
  readonly order: {
    readonly status: BuyStatus;
    readonly lockEndsAt: Date | null;
    readonly wasAllocated: boolean;
  };
  readonly paymentOrder: {
    readonly status: PaymentOrderStatus;
    readonly amountPaise: Paise;
    readonly currency: string;
  };
}

export type CaptureDecision =
  | { readonly kind: 'ALREADY_KNOWN' }
  | { readonly kind: 'PAY'; readonly disposition: 'APPLIED'; readonly paymentOrderTo: 'PAID' }
  | {
      readonly kind: 'REVIEW';
      readonly code: PaymentReviewCode;
      readonly reason: string;
      readonly disposition: PaymentDisposition;
      /** The new state of the payment order, or undefined if it does not change. */
      readonly paymentOrderTo: 'PAID' | 'MANUAL_REVIEW' | undefined;
    };

type Review = Extract<CaptureDecision, { kind: 'REVIEW' }>;

/**
 * Returns true if an earlier report already recorded this capture with its order. The capture then
 * has no further effect.
 */
const isKnownCapture = (known: CaptureFacts['known']): boolean =>
  known !== undefined && known.status !== 'FAILED' && known.disposition !== 'UNMATCHED';

/** Returns true for a state in which no charge to the customer has been recorded. */
const isUnpaid = (status: BuyStatus): boolean => status === 'PENDING' || status === 'FAILED';

const mayStillBePaid = (status: PaymentOrderStatus): boolean =>
  status !== 'PAID' && status !== 'MANUAL_REVIEW' && status !== 'REFUNDED';

const secondCapture = ({ order, paymentOrder, payment }: CaptureFacts): Review => ({
  kind: 'REVIEW',
  code: 'SECOND_CAPTURE',
  reason:
    `A further payment of ${payment.currency} ${formatRupees(payment.amountPaise)} was captured ` +
    `for an order that had one already and was ${order.status}.`,
  disposition: 'SECOND',
  paymentOrderTo: mayStillBePaid(paymentOrder.status) ? 'PAID' : undefined,
});

const mismatch = ({ payment, paymentOrder }: CaptureFacts): Review | undefined => {
  const otherCurrency = payment.currency !== paymentOrder.currency;
  if (!otherCurrency && payment.amountPaise === paymentOrder.amountPaise) return undefined;
  return {
    kind: 'REVIEW',
    // Amounts of two currencies can't be compared, so the currency takes precedence.
    code: otherCurrency ? 'CURRENCY_MISMATCH' : 'AMOUNT_MISMATCH',
    reason:
      `${payment.currency} ${formatRupees(payment.amountPaise)} was captured where ` +
      `${paymentOrder.currency} ${formatRupees(paymentOrder.amountPaise)} was asked for.`,
    disposition: 'MISMATCH',
    paymentOrderTo: 'MANUAL_REVIEW',
  };
};

const lateCapture = (facts: CaptureFacts): Review | undefined => {
  const { payment, order, isCustomerDeleted } = facts;
  const { lockEndsAt } = order;
  const isPastLock = lockEndsAt !== null && payment.learnedAt >= lockEndsAt;
  // The order was allocated before and its gold was recovered. An order is never allocated again.
  const isRecovered = order.wasAllocated;
  if (!isPastLock && !isCustomerDeleted && !isRecovered) return undefined;
  const lockEnded = `the price lock had ended at ${lockEndsAt?.toISOString()}.`;
  const orderEvent = isRecovered ? "the order's gold had been recovered." : lockEnded;
  const event = isCustomerDeleted ? 'the customer had deleted their account.' : orderEvent;
  return {
    kind: 'REVIEW',
    code: 'LATE_CAPTURE',
    reason: `The capture became known at ${payment.learnedAt.toISOString()}, after ${event}`,
    disposition: 'LATE',
    paymentOrderTo: 'PAID',
  };
};

/**
 * Decides the effect of a captured payment. The source and the sequence of the reports do not
 * matter (contract: states > Late captures). The checks run in this order: a second capture, a
 * different currency or amount, a late report. The facts must be read under the order's lock.
 */
export const decideCapture = (facts: CaptureFacts): CaptureDecision => {
  if (isKnownCapture(facts.known)) return { kind: 'ALREADY_KNOWN' };
  const { order, paymentOrder } = facts;
  const isSecond =
    facts.hasOtherCapture || !isUnpaid(order.status) || !mayStillBePaid(paymentOrder.status);
  if (isSecond) return secondCapture(facts);
  return (
    mismatch(facts) ??
    lateCapture(facts) ?? { kind: 'PAY', disposition: 'APPLIED', paymentOrderTo: 'PAID' }
  );
};

export interface FailureFacts {
  /** The payment as earlier reports recorded it. */
  readonly known:
    | Pick<RecordedPayment, 'id' | 'status' | 'disposition' | 'failedAfterCaptureAt'>
    | undefined;
  /** True if the order holds money of another payment that was not paid back. */
  readonly hasOtherCapture: boolean;
  readonly order: { readonly status: BuyStatus };
  readonly paymentOrder: {
    readonly status: PaymentOrderStatus;
    readonly capturedPaymentId: string | null;
  };
}

export type FailureDecision =
  | { readonly kind: 'ALREADY_KNOWN' }
  /** The report is recorded. The order and its payment order do not change. */
  | { readonly kind: 'RECORD' }
  /** The payment order fails. The order also fails if it was waiting for this payment order. */
  | { readonly kind: 'FAIL'; readonly failOrder: boolean }
  /** The failure is recorded on the payment. The order goes to review. */
  | { readonly kind: 'REVIEW'; readonly code: 'FAILED_AFTER_PAID'; readonly reason: string }
  /**
   * The failure is recorded on the payment. The order is already under review, and the failure is
   * added to the reason.
   */
  | { readonly kind: 'NOTE'; readonly reason: string };

type KnownPayment = NonNullable<FailureFacts['known']>;

/** Decides the effect of a reported failure of a captured payment. */
const decideFailedCapture = (
  known: KnownPayment,
  { order, paymentOrder }: FailureFacts,
): FailureDecision => {
  const isHeld = known.status === 'CAPTURED' && known.disposition !== 'REFUNDED';
  if (!isHeld || known.failedAfterCaptureAt !== null) return { kind: 'ALREADY_KNOWN' };
  const isSecond = known.disposition === 'SECOND';
  if (order.status === 'MANUAL_REVIEW') {
    const payment = isSecond ? 'a further captured payment' : 'the captured payment';
    return { kind: 'NOTE', reason: `The gateway reported that ${payment} later failed.` };
  }
  const paysForGold = !isSecond && known.id === paymentOrder.capturedPaymentId;
  const holdsMoney =
    order.status === 'PAID' || order.status === 'RETRY_PENDING' || order.status === 'ALLOCATED';
  if (!paysForGold || !holdsMoney) return { kind: 'ALREADY_KNOWN' };
  return {
    kind: 'REVIEW',
    code: 'FAILED_AFTER_PAID',
    reason: `The gateway reported that the captured payment later failed. The order was ${order.status}.`,
  };
};

/**
 * Decides the effect of a failed payment (contract: states > Failed payments). A failure of a
 * captured payment puts its money in doubt. Any other failure fails an open payment order, unless
 * the order holds money of another payment. A failed attempt at a closed checkout does not fail the
 * open checkout.
 */
export const decideFailure = (facts: FailureFacts): FailureDecision => {
  const { known, order, paymentOrder } = facts;
  if (known !== undefined && known.status !== 'FAILED' && known.disposition !== 'UNMATCHED') {
    return decideFailedCapture(known, facts);
  }
  const isOpen = paymentOrder.status === 'GATEWAY_ORDER_CREATED';
  if (isOpen && !facts.hasOtherCapture) {
    return { kind: 'FAIL', failOrder: order.status === 'PENDING' };
  }
  return known === undefined ? { kind: 'RECORD' } : { kind: 'ALREADY_KNOWN' };
};
