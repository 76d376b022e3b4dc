import type { Grams, Paise } from '../../money/index.ts';

export const goldUnits = ['INR', 'GRAMS'] as const;
export type GoldUnit = (typeof goldUnits)[number];

export const goldOrderTypes = ['BUY', 'SELL', 'SIP_INSTALLMENT'] as const;
type GoldOrderType = (typeof goldOrderTypes)[number];

/** The states of buys and installments (contract: states > Gold order, buy). */
export const buyStatuses = [
  'PENDING',
  'PAID',
  'RETRY_PENDING',
  'ALLOCATED',
  'MANUAL_REVIEW',
  'FAILED',
] as const;
export type BuyStatus = (typeof buyStatuses)[number];

/** The states of a sale (contract: states > Gold order, sell). */
export const sellStatuses = ['PENDING', 'VERIFIED', 'CONFIRMED', 'COMPLETED', 'FAILED'] as const;
export type SellStatus = (typeof sellStatuses)[number];

/** The states of gold orders of all types. */
export const goldOrderStatuses = [...buyStatuses, 'VERIFIED', 'CONFIRMED', 'COMPLETED'] as const;
export type GoldOrderStatus = (typeof goldOrderStatuses)[number];

/** The reasons for which an order waits for a person (contract: states > Manual review). */
export const manualReviewCodes = [
  'AMOUNT_MISMATCH',
  'CURRENCY_MISMATCH',
  'LATE_CAPTURE',
  'PROVIDER_LOCK_EXPIRED',
  'ALLOCATION_EXHAUSTED',
  'GRAMS_MISMATCH',
  'FAILED_AFTER_PAID',
  'SECOND_CAPTURE',
  'SELL_UNKNOWN_OUTCOME',
  'SELL_REFUSED_AFTER_VERIFY',
  'PAYMENT_REVERSED',
] as const;
export type ManualReviewCode = (typeof manualReviewCodes)[number];

/**
 * The actor of a transition: `customer:<id>`, `gateway:<code>`, `payout-provider:<code>`, `worker`,
 * `janitor`, `admin:<id>`.
 */
export type Actor = string;

export interface GoldOrder {
  readonly id: string;
  readonly userId: string;
  readonly type: GoldOrderType;
  readonly status: GoldOrderStatus;
  readonly quoteId: string | null;
  readonly unit: GoldUnit;
  /** The gross amount that the customer pays, or for which the customer sells. */
  readonly amountPaise: Paise;
  readonly grams: Grams | null;
  readonly pricePerGramPaise: Paise | null;
  readonly goldValuePaise: Paise | null;
  readonly gstPaise: Paise | null;
  readonly roundingPaise: Paise | null;
  readonly proceedsPaise: Paise | null;
  readonly provider: string | null;
  readonly providerTxId: string | null;
  readonly providerRateId: string | null;
  readonly providerAmountPaise: Paise | null;
  readonly lockStartedAt: Date | null;
  readonly lockEndsAt: Date | null;
  readonly expiresAt: Date | null;
  readonly paidAt: Date | null;
  /** The number of failed attempts at the allocation. */
  readonly allocationAttempts: number;
  readonly nextAttemptAt: Date | null;
  readonly allocatedAt: Date | null;
  /**
   * The time at which the house recovered the order's gold because its payment was reversed, or
   * null.
   */
  readonly recoveredAt: Date | null;
  readonly manualReviewCode: ManualReviewCode | null;
  readonly manualReviewReason: string | null;
  readonly failureCode: string | null;
  readonly refundReference: string | null;
  /**
   * The provider's amount of an operator's new verify minus the provider's amount of the quote, or
   * null.
   */
  readonly priceDifferencePaise: Paise | null;
  /** The bank account that receives the payout of a sale, or null for other orders. */
  readonly bankAccountId: string | null;
  /** The plan of an installment, or null for other orders. */
  readonly sipPlanId: string | null;
  /** The number of an installment in its plan, from 1, or null for other orders. */
  readonly installmentNo: number | null;
  /** The day on which an installment fell due, or null for other orders. */
  readonly dueAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Returns true if an order's gold was allocated and not recovered since. */
export const hasGold = (order: Pick<GoldOrder, 'allocatedAt' | 'recoveredAt'>): boolean =>
  order.allocatedAt !== null && order.recoveredAt === null;

/** One row of an order's history. */
export interface GoldOrderEvent {
  readonly from: string | null;
  readonly to: string;
  readonly cause: string;
  readonly actor: Actor;
  readonly requestId: string | null;
  readonly at: Date;
}

/**
 * An order with a price lock at the provider: a buy, or an installment that was verified for its
 * allocation.
 */
export interface PriceLockedBuy extends GoldOrder {
  readonly grams: Grams;
  readonly provider: string;
  readonly providerTxId: string;
  readonly lockStartedAt: Date;
  readonly lockEndsAt: Date;
}

export const hasPriceLock = (order: GoldOrder): order is PriceLockedBuy =>
  order.type !== 'SELL' &&
  order.grams !== null &&
  order.provider !== null &&
  order.providerTxId !== null &&
  order.lockStartedAt !== null &&
  order.lockEndsAt !== null;

/** The fields of a sale that its payout needs. */
export interface SaleOrder {
  readonly id: string;
  readonly userId: string;
  readonly status: SellStatus;
}

/** A sale that the provider has verified and that is not recorded as confirmed. */
export interface VerifiedSale extends GoldOrder {
  readonly status: 'VERIFIED';
  readonly grams: Grams;
  readonly proceedsPaise: Paise;
  readonly provider: string;
  readonly providerTxId: string;
  readonly providerAmountPaise: Paise;
  readonly lockStartedAt: Date;
  readonly lockEndsAt: Date;
  readonly bankAccountId: string;
}

export const isVerifiedSale = (order: GoldOrder): order is VerifiedSale =>
  order.type === 'SELL' &&
  order.status === 'VERIFIED' &&
  order.grams !== null &&
  order.proceedsPaise !== null &&
  order.provider !== null &&
  order.providerTxId !== null &&
  order.providerAmountPaise !== null &&
  order.lockStartedAt !== null &&
  order.lockEndsAt !== null &&
  order.bankAccountId !== null;
