import { formatGrams, formatRupees, type Grams, type Paise } from '../../money/index.ts';
import type { BuyStatus } from '../orders/index.ts';
import type { RecordedPayment, ReversalKind } from './payments.types.ts';

export interface ReversalFacts {
  /** The payment by earlier reports; undefined where none has come yet. */
  readonly payment: Pick<RecordedPayment, 'status' | 'disposition'> | undefined;
  readonly order: { readonly status: BuyStatus };
}

/**
 * WAIT: no money of this payment is held here, so far; it counts when the capture becomes known.
 * RESOLVED: an operator has accounted for this money already. NOTE: the order is under review, and
 * its reason tells of this too. REVIEW: the order goes to review.
 */
export type ReversalDecision = 'WAIT' | 'RESOLVED' | 'NOTE' | 'REVIEW';

/**
 * Decides what a refund or a lost dispute does to the order of its payment (contract: states >
 * Reversed payments). Money that fits no order (second, late, other amount) has its order under
 * review, so that only the payment of the gold brings one there.
 */
export const decideReversal = ({ payment, order }: ReversalFacts): ReversalDecision => {
  if (payment?.status === 'REFUNDED') return 'RESOLVED';
  if (payment?.status !== 'CAPTURED' || payment.disposition === 'UNMATCHED') return 'WAIT';
  return order.status === 'MANUAL_REVIEW' ? 'NOTE' : 'REVIEW';
};

/** Lists what a gateway has and we lack. One of ours without an id is any one of its amount. */
export const findLackingReversals = <
  T extends { kind: ReversalKind; reference: string; amountPaise: Paise },
>(
  atGateway: readonly T[],
  recorded: readonly {
    readonly kind: ReversalKind;
    readonly reference: string | null;
    readonly amountPaise: Paise;
  }[],
): T[] => {
  const named = new Set(recorded.map(({ kind, reference }) => `${kind} ${reference ?? ''}`));
  const unnamed = recorded.filter(({ reference }) => reference === null);
  return atGateway.filter(({ kind, reference, amountPaise }) => {
    if (named.has(`${kind} ${reference}`)) return false;
    const same = unnamed.findIndex((one) => one.kind === kind && one.amountPaise === amountPaise);
    if (same >= 0) unnamed.splice(same, 1);
    return same < 0;
  });
};

const words: Readonly<Record<ReversalKind, string>> = {
  REFUND: 'was refunded at the gateway',
  DISPUTE: 'was lost in a dispute',
};

/** Describes a reversal for the operator who looks into its order. */
export const describeReversal = (
  reversal: {
    readonly kind: ReversalKind;
    readonly reference: string | null;
    readonly amountPaise: Paise;
  },
  of: {
    readonly payment: { readonly amountPaise: Paise; readonly currency: string };
    /** The payment that the gold was, or is to be, bought with. */
    readonly isGoldsPayment: boolean;
    readonly status: BuyStatus;
    /** Reserved, and ordered; undefined where there is no gold to reserve. */
    readonly grams: { readonly reserved: Grams; readonly ordered: Grams } | undefined;
  },
): string => {
  const { currency, amountPaise } = of.payment;
  const gone = `${currency} ${formatRupees(reversal.amountPaise)}`;
  const whole = `${currency} ${formatRupees(amountPaise)}`;
  const named = reversal.reference === null ? '' : ` (${reversal.reference})`;
  const payment = of.isGoldsPayment ? 'the payment' : 'a further payment';
  const when = of.status === 'MANUAL_REVIEW' ? '' : ` when the order was ${of.status}`;
  const what = `${gone} of ${payment} of ${whole} ${words[reversal.kind]}${named}${when}.`;
  if (of.grams === undefined) return what;
  const { reserved, ordered } = of.grams;
  return `${what} ${formatGrams(reserved)} g of its ${formatGrams(ordered)} g are reserved.`;
};
