import type { GatewayPaymentRef, PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import { addPaise, type Paise } from '../../money/index.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import type { ReversalKind } from './payments.types.ts';

/** Money of a payment that certainly went away, as its gateway has it. */
export interface GatewayReversal {
  readonly kind: ReversalKind;
  readonly reference: string;
  readonly amountPaise: Paise;
  readonly occurredAt: Date;
}

/** A gateway's answer about the money of one payment. */
export interface GatewayReversals {
  /** Processed refunds and lost disputes. */
  readonly gone: readonly GatewayReversal[];
  /** Refunds that the gateway is about to make. */
  readonly pendingPaise: Paise;
  /** The references of all refunds and disputes, however they stand. */
  readonly references: readonly string[];
}

/** Tells an answer, "no such payment" included, from silence. */
export const hasAnswered = (outcome: Outcome<unknown>): boolean =>
  outcome.kind === 'done' || (outcome.kind === 'refused' && !isUnavailable(outcome));

/** Asks a gateway what went away of a payment. Undefined when it gave no answer. */
export const fetchReversals = async (
  gateway: PaymentGateway,
  payment: GatewayPaymentRef,
): Promise<GatewayReversals | undefined> => {
  const [refunded, disputed] = await Promise.all([
    gateway.getRefunds(payment),
    gateway.getDisputes(payment),
  ]);
  if (!hasAnswered(refunded) || !hasAnswered(disputed)) return undefined;
  const refunds = refunded.kind === 'done' ? refunded.value : [];
  const disputes = disputed.kind === 'done' ? disputed.value : [];
  const processed = refunds.filter(({ status }) => status === 'PROCESSED');
  const pending = refunds.filter(({ status }) => status === 'PENDING');
  const lost = disputes.filter(({ status }) => status === 'LOST');
  return {
    gone: [
      ...processed.map(({ refundId: reference, amountPaise, createdAt: occurredAt }) => ({
        kind: 'REFUND' as const,
        reference,
        amountPaise,
        occurredAt,
      })),
      ...lost.map(({ disputeId: reference, amountPaise, createdAt: occurredAt }) => ({
        kind: 'DISPUTE' as const,
        reference,
        amountPaise,
        occurredAt,
      })),
    ],
    pendingPaise: addPaise(...pending.map(({ amountPaise }) => amountPaise)),
    references: [
      ...refunds.map(({ refundId }) => refundId),
      ...disputes.map(({ disputeId }) => disputeId),
    ],
  };
};
