import type { Paise } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { PaymentReviewCode } from './payments.types.ts';

/** The states of an order that is paid for through payment orders (decisions, section 3). */
export const payableOrderStatuses = [
  'PENDING',
  'PAID',
  'RETRY_PENDING',
  'ALLOCATED',
  'MANUAL_REVIEW',
  'FAILED',
] as const;
export type PayableOrderStatus = (typeof payableOrderStatuses)[number];

/** A gold order as its payments see it. */
export interface PayableOrder {
  readonly id: string;
  readonly userId: string;
  readonly type: 'BUY' | 'SIP_INSTALLMENT';
  readonly status: PayableOrderStatus;
  /** The end of the provider's price lock; null where there is none (an installment). */
  readonly lockEndsAt: Date | null;
  readonly amountPaise: Paise;
}

/** Why an order moves, for its event history. */
export interface SettlementInfo {
  /** The gateway's name of the event, or how else we learned of it. */
  readonly cause: string;
  /** `gateway:<code>`. */
  readonly actor: string;
  readonly requestId?: string;
}

/**
 * What payments ask of the orders that they pay for; implemented by the module that owns them and
 * called inside the transaction that applies a payment. `order` is always what `lockOrder`
 * answered in the same transaction. Each move writes the order's event row.
 */
export interface OrderSettlement {
  /** Locks the order's row. The first lock of the transaction: the payment order's comes after. */
  lockOrder(db: Db, orderId: string): Promise<PayableOrder>;
  /** PENDING or FAILED -> PAID, and queues the allocation. */
  markPaid(db: Db, order: PayableOrder, info: SettlementInfo): Promise<void>;
  /** PENDING -> FAILED. */
  markFailed(db: Db, order: PayableOrder, info: SettlementInfo): Promise<void>;
  /**
   * Any payable state -> MANUAL_REVIEW with `code`; the customer is told. For an order that is
   * under review already (a second capture) it is no move: the code becomes this one, and the
   * reason keeps the earlier code and words beside the new.
   */
  sendToReview(
    db: Db,
    order: PayableOrder,
    code: PaymentReviewCode,
    reason: string,
    info: SettlementInfo,
  ): Promise<void>;
}
