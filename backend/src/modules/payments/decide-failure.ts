import type { PayableOrderStatus } from './order-settlement.ts';
import type { PaymentOrderStatus, RecordedPayment } from './payments.types.ts';

export interface FailureFacts {
  /** What we know of this very payment already. */
  readonly known: Pick<RecordedPayment, 'id' | 'status' | 'standing'> | undefined;
  /** Whether the order has money of another payment that was not paid back. */
  readonly hasOtherCapture: boolean;
  readonly order: { readonly status: PayableOrderStatus };
  readonly paymentOrder: {
    readonly status: PaymentOrderStatus;
    readonly capturedPaymentId: string | null;
  };
}

export type FailureDecision =
  | { readonly kind: 'ALREADY_KNOWN' }
  /** Kept on record; the order and its payment order stay as they are. */
  | { readonly kind: 'RECORD' }
  /** The payment order fails; the order too where it was waiting for this. */
  | { readonly kind: 'FAIL'; readonly failOrder: boolean }
  | { readonly kind: 'REVIEW'; readonly code: 'FAILED_AFTER_PAID'; readonly reason: string };

const afterPaid = (facts: FailureFacts): FailureDecision => {
  const { known, order, paymentOrder } = facts;
  const isTheOne = known?.standing !== 'SECOND' && known?.id === paymentOrder.capturedPaymentId;
  const holdsMoney =
    order.status === 'PAID' || order.status === 'RETRY_PENDING' || order.status === 'ALLOCATED';
  if (!isTheOne || !holdsMoney || known.standing === 'REFUNDED') return { kind: 'ALREADY_KNOWN' };
  return {
    kind: 'REVIEW',
    code: 'FAILED_AFTER_PAID',
    reason: `The captured payment failed, says the gateway, when the order was ${order.status}.`,
  };
};

/**
 * What a failed payment means (decisions, section 3). Of a captured payment's money only an event
 * about that very payment says anything; a failed attempt beside it changes nothing, and an
 * attempt at a checkout that is closed already does not fail what is open.
 */
export const decideFailure = (facts: FailureFacts): FailureDecision => {
  const { known, order, paymentOrder } = facts;
  if (known !== undefined && known.status !== 'FAILED' && known.standing !== 'UNMATCHED') {
    return afterPaid(facts);
  }
  const isOpen = paymentOrder.status === 'GATEWAY_ORDER_CREATED';
  if (isOpen && !facts.hasOtherCapture) {
    return { kind: 'FAIL', failOrder: order.status === 'PENDING' };
  }
  return known === undefined ? { kind: 'RECORD' } : { kind: 'ALREADY_KNOWN' };
};
