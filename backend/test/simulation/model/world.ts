import type { Frequency } from './schedule.ts';

/** A capture, a failure or a reversal at a gateway, as the story played it. */
export interface Payment {
  readonly id: string;
  readonly gatewayOrderId: string;
  readonly signature: string;
  readonly outcome: 'captured' | 'failed';
  readonly amountPaise: number;
  readonly currency: string;
  readonly playedAt: number;
  /**
   * True if its order no longer waited for it, so that without its event only reconciliation finds
   * it.
   */
  readonly late: boolean;
  /** The time at which the service acknowledged an event of it. */
  toldAt?: number;
  /** Paise that went back, by refunds and lost disputes. */
  reversedPaise: number;
  /** True if the service has acknowledged an event of a reversal. */
  reversalTold: boolean;
}

/** A gold order of a customer, or an installment of a plan. */
export interface Buy {
  readonly id: string;
  readonly customer: number;
  readonly plan?: number;
  /** Empty if the answer was lost or a worker created the order. */
  readonly key: string;
  readonly path: '/v1/gold/buy' | '/v1/payments/orders';
  readonly body: Readonly<Record<string, unknown>>;
  readonly amountPaise: number;
  /** In units of 0.0001 g, or unknown for an installment until it is allocated. */
  grams: number | undefined;
  readonly placedAt: number;
  /** The end of the price lock, or none for an installment. */
  readonly lockEnds: number | undefined;
  paymentOrderId: string;
  gatewayOrderIds: string[];
  readonly payments: Payment[];
  /** Resolutions that an operator was allowed to make. */
  readonly resolutions: string[];
  /** True if a collaborator misbehaved while the order had no gold. */
  wasTroubled: boolean;
  /**
   * The part that had not happened when its lock ended, and that cannot happen by itself any more.
   */
  missed?: 'payment' | 'gold';
  /** Its status, with the code of a review, at the last snapshot. */
  lastState?: string;
}

interface Quote {
  readonly id: string;
  readonly customer: number;
  readonly grams: number;
  readonly goldPaise: number;
  readonly gstPaise: number;
  readonly totalPaise: number;
  readonly ends: number;
  isUsed: boolean;
}

/** A sale's quote. A sale of the same amount takes it if the sale names none. */
export interface SellQuote {
  readonly id: string;
  readonly customer: number;
  readonly unit: string;
  readonly amount: number;
  readonly grams: number;
  readonly proceedsPaise: number;
  readonly ends: number;
  isUsed: boolean;
}

export interface Sale {
  readonly id: string;
  readonly customer: number;
  readonly key: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly grams: number;
  readonly proceedsPaise: number;
  readonly placedAt: number;
  payoutId: string | undefined;
}

export interface Plan {
  readonly id: string;
  readonly customer: number;
  readonly amountPaise: number;
  readonly frequency: Frequency;
  readonly installments: number;
  readonly hasMandate: boolean;
  readonly madeAt: number;
  /** The first date of the plan, in India. */
  readonly startDate: string;
  /** Dates that were skipped, or that a pause passed over. */
  passedOver: number;
  status: 'ACTIVE' | 'PAUSED' | 'CANCELLED' | 'COMPLETED';
  /** The raised installments, and below the passed over dates, at the last check. */
  raised: number;
  checkedPassedOver: number;
}

/** A customer's code that another customer has used. */
interface Referral {
  readonly referrer: number;
  readonly referee: number;
}

export interface ProductOrder {
  readonly id: string;
  readonly customer: number;
  readonly key: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly totalPaise: number;
  readonly placedAt: number;
  readonly product: number;
  readonly quantity: number;
  status: string;
  /** Receipts of the cash that was paid on delivery. */
  readonly cash: { readonly reference: string; readonly paise: number }[];
}

interface BankAccount {
  readonly id: string;
  readonly number: string;
  status: 'PENDING' | 'VERIFIED' | 'FAILED';
}

export interface Customer {
  readonly phone: string;
  userId: string;
  /** The code that other customers can use. */
  readonly referralCode: string;
  kyc: 'PENDING' | 'SUBMITTED' | 'APPROVED' | 'REJECTED';
  kycId: string | undefined;
  blocked: boolean;
  deleted: boolean;
  readonly accounts: BankAccount[];
  /** In units of 0.0001 g, as the story has them after its last step. */
  balance: number;
  reserved: number;
}

export interface Limits {
  readonly minBuyPaise: number;
  readonly maxBuyPaise: number;
  readonly dailyBuyPaise: number;
  readonly minSellPaise: number;
  readonly maxSellPaise: number;
  readonly minSipPaise: number;
  readonly maxSipPaise: number;
  readonly deliveryFeePaise: number;
  readonly freeDeliveryFromPaise: number;
  readonly mandateMaxPaise: number;
  readonly maxOpenDeliveryPaise: number;
}

/** The provider's price of a gram before tax. */
export interface Price {
  readonly buyPaise: number;
  readonly sellPaise: number;
}

/** The expected state of the service. It is only data, so that it can be copied. */
export interface World {
  now: number;
  readonly customers: Customer[];
  readonly buys: Buy[];
  readonly sales: Sale[];
  readonly quotes: Quote[];
  readonly sellQuotes: SellQuote[];
  readonly referrals: Referral[];
  readonly plans: Plan[];
  readonly productOrders: ProductOrder[];
  limits: Limits;
  spread: { buyBps: number; sellBps: number };
  /**
   * The provider's present price, which is the last one, and earlier prices that the service may
   * still use for 10 s.
   */
  prices: Price[];
  gates: { buy: boolean; sell: boolean };
  /** Collaborators with a fault that may still be pending. */
  readonly troubled: string[];
  /**
   * True once a gateway may have reported other amounts than it captured, since the service keeps
   * its reports.
   */
  toldWrongAmounts: boolean;
  /** The products of the catalogue, sorted by name. */
  readonly products: Product[];
  /** Disabled gateways by code. */
  readonly disabledGateways: string[];
  /** Closed months, with their frozen totals. */
  readonly monthsClosed: { readonly period: string; readonly totals: string }[];
  readonly daysSigned: string[];
  /**
   * Paise that may count and units that may be reserved, although no answer of this step confirmed
   * them.
   */
  readonly unanswered: {
    readonly customer: number;
    readonly amountPaise: number;
    readonly grams: number;
  }[];
  /** The newest signed statement of all gold that the story has seen. */
  newestProof: { readonly sequence: number; readonly hash: string } | undefined;
}

export interface Product {
  readonly id: string;
  readonly mode: 'FIXED' | 'DYNAMIC';
  readonly karat: number;
  readonly weight: number;
  readonly makingBps: number;
  readonly fixedPaise: number;
  /** The remaining pieces, if the product has a stock. */
  stock: number | undefined;
}

export const defaultLimits: Limits = {
  minBuyPaise: 1000,
  maxBuyPaise: 20_000_000,
  dailyBuyPaise: 50_000_000,
  minSellPaise: 1000,
  maxSellPaise: 50_000_000,
  minSipPaise: 1000,
  maxSipPaise: 10_000_000,
  deliveryFeePaise: 9900,
  freeDeliveryFromPaise: 500_000,
  mandateMaxPaise: 1_500_000,
  maxOpenDeliveryPaise: 100_000_000,
};

/** The first price of every story. */
export const firstPrice: Price = { buyPaise: 1_234_567, sellPaise: 1_197_530 };

export const newWorld = (now: number): World => ({
  now,
  customers: [],
  buys: [],
  sales: [],
  quotes: [],
  sellQuotes: [],
  referrals: [],
  plans: [],
  productOrders: [],
  limits: defaultLimits,
  spread: { buyBps: 0, sellBps: 0 },
  prices: [firstPrice],
  gates: { buy: true, sell: true },
  troubled: [],
  toldWrongAmounts: false,
  products: [],
  disabledGateways: [],
  monthsClosed: [],
  daysSigned: [],
  unanswered: [],
  newestProof: undefined,
});
