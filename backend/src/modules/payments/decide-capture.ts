import { formatRupees, type Paise } from '../../money/index.ts';
import type { PayableOrderStatus } from './order-settlement.ts';
import type {
  PaymentOrderStatus,
  PaymentReviewCode,
  PaymentStanding,
  RecordedPayment,
} from './payments.types.ts';

export interface CaptureFacts {
  readonly payment: {
    readonly amountPaise: Paise;
    readonly currency: string;
    readonly learnedAt: Date;
  };
  /** What we know of this very payment already. */
  readonly known: Pick<RecordedPayment, 'status' | 'standing'> | undefined;
  /** Whether the order has money of another payment that was not paid back. */
  readonly hasOtherCapture: boolean;
  readonly order: { readonly status: PayableOrderStatus; readonly lockEndsAt: Date | null };
  readonly paymentOrder: {
    readonly status: PaymentOrderStatus;
    readonly amountPaise: Paise;
    readonly currency: string;
  };
}

export type CaptureDecision =
  | { readonly kind: 'ALREADY_KNOWN' }
  | { readonly kind: 'PAY'; readonly standing: 'APPLIED'; readonly paymentOrderTo: 'PAID' }
  | {
      readonly kind: 'REVIEW';
      readonly code: PaymentReviewCode;
      readonly reason: string;
      readonly standing: PaymentStanding;
      /** Undefined: the payment order stays as it is. */
      readonly paymentOrderTo: 'PAID' | 'MANUAL_REVIEW' | undefined;
    };

type Review = Extract<CaptureDecision, { kind: 'REVIEW' }>;

/** Ours by an earlier event: what follows of one payment is told once. */
const isKnownCapture = (known: CaptureFacts['known']): boolean =>
  known !== undefined && known.status !== 'FAILED' && known.standing !== 'UNMATCHED';

/** States in which the customer was not charged, as far as we knew until now. */
const isUnpaid = (status: PayableOrderStatus): boolean =>
  status === 'PENDING' || status === 'FAILED';

const mayStillBePaid = (status: PaymentOrderStatus): boolean =>
  status !== 'PAID' && status !== 'MANUAL_REVIEW' && status !== 'REFUNDED';

const secondCapture = ({ order, paymentOrder, payment }: CaptureFacts): Review => ({
  kind: 'REVIEW',
  code: 'SECOND_CAPTURE',
  reason:
    `A further payment of ${payment.currency} ${formatRupees(payment.amountPaise)} was captured ` +
    `for an order that had one already and was ${order.status}.`,
  standing: 'SECOND',
  paymentOrderTo: mayStillBePaid(paymentOrder.status) ? 'PAID' : undefined,
});

const mismatch = ({ payment, paymentOrder }: CaptureFacts): Review | undefined => {
  const otherCurrency = payment.currency !== paymentOrder.currency;
  if (!otherCurrency && payment.amountPaise === paymentOrder.amountPaise) return undefined;
  return {
    kind: 'REVIEW',
    // Amounts of two currencies can't be compared, so the currency goes first.
    code: otherCurrency ? 'CURRENCY_MISMATCH' : 'AMOUNT_MISMATCH',
    reason:
      `${payment.currency} ${formatRupees(payment.amountPaise)} was captured where ` +
      `${paymentOrder.currency} ${formatRupees(paymentOrder.amountPaise)} was asked for.`,
    standing: 'MISMATCH',
    paymentOrderTo: 'MANUAL_REVIEW',
  };
};

const lateCapture = ({ payment, order }: CaptureFacts): Review | undefined => {
  const { lockEndsAt } = order;
  if (lockEndsAt === null || payment.learnedAt < lockEndsAt) return undefined;
  return {
    kind: 'REVIEW',
    code: 'LATE_CAPTURE',
    reason:
      `The capture became known at ${payment.learnedAt.toISOString()}, after the price lock ` +
      `had ended at ${lockEndsAt.toISOString()}.`,
    standing: 'LATE',
    paymentOrderTo: 'PAID',
  };
};

/**
 * What a captured payment means (decisions, section 3), whoever told us and in whatever order.
 * A second capture is that whatever its amount or time; then a wrong currency or amount; then the
 * time at which we learned of it. Everything is what was read under the order's lock.
 */
export const decideCapture = (facts: CaptureFacts): CaptureDecision => {
  if (isKnownCapture(facts.known)) return { kind: 'ALREADY_KNOWN' };
  const { order, paymentOrder } = facts;
  const isSecond =
    facts.hasOtherCapture || !isUnpaid(order.status) || !mayStillBePaid(paymentOrder.status);
  if (isSecond) return secondCapture(facts);
  return (
    mismatch(facts) ??
    lateCapture(facts) ?? { kind: 'PAY', standing: 'APPLIED', paymentOrderTo: 'PAID' }
  );
};
