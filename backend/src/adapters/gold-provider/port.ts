import type { Bps, Grams, Paise } from '../../money/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';

/** A verify returned another weight than requested. Such a verify must not be confirmed. */
export const GRAMS_MISMATCH = 'GRAMS_MISMATCH';

/**
 * The rupees of a verify do not match its rate: the provider refused the rupees that were sent, or
 * returned others. Such a verify must not be confirmed.
 */
export const AMOUNT_MISMATCH = 'AMOUNT_MISMATCH';

/** The provider does not have the transaction. */
export const UNKNOWN_TRANSACTION = 'UNKNOWN_TRANSACTION';

/** The provider no longer accepts the rate of the verify. The caller has to fetch a new price. */
export const RATE_LAPSED = 'RATE_LAPSED';

/** The provider refused the request. The refusal's message has the provider's code and message. */
export const PROVIDER_REFUSED = 'PROVIDER_REFUSED';

/** The provider's current rates. Prices are per gram, before tax. */
export interface ProviderPrice {
  readonly buyPaise: Paise;
  readonly sellPaise: Paise;
  /** The provider's own spot price if it quotes one, otherwise the mean of buy and sell. */
  readonly spotPaise: Paise;
  /** The tax that the provider adds to a buy in its own books. */
  readonly buyTaxBps: Bps;
  readonly buyRateId: string;
  readonly sellRateId: string;
  /** The time until which the provider verifies at these rates. */
  readonly validUntil: Date;
}

interface ProviderCustomer {
  /** E.164, such as `+919876543210`. The provider identifies the customer by it. */
  readonly phone: string;
  readonly name: string;
  readonly pincode: string;
  readonly email?: string;
}

/** The numbers that the provider requires before a customer may hold more gold. */
interface ProviderKyc {
  readonly providerUserId: string;
  readonly pan?: string;
  readonly identityNumber?: string;
}

export interface ProviderUser {
  readonly providerUserId: string;
  readonly goldBalanceGrams: Grams;
}

interface VerifyBuyRequest {
  readonly providerUserId: string;
  /** Our own stable id of this attempt. A provider with caller-chosen ids uses it as the id. */
  readonly reference: string;
  readonly rateId: string;
  /** The rate's price and tax, from the same `ProviderPrice`. */
  readonly rateBuyPaise: Paise;
  readonly rateTaxBps: Bps;
  /** A whole number of 0.0001 g. */
  readonly grams: Grams;
}

interface VerifySellRequest {
  readonly providerUserId: string;
  readonly reference: string;
  readonly rateId: string;
  readonly rateSellPaise: Paise;
  /** A whole number of 0.0001 g. */
  readonly grams: Grams;
}

/** The result of a verify. Nothing has been bought or sold yet. */
export interface VerifiedTransaction {
  readonly providerTxId: string;
  /** The requested grams. A verify with other grams is refused as GRAMS_MISMATCH. */
  readonly grams: Grams;
  /**
   * The provider's amount for the grams at its rate, with tax. A verify with another amount is refused
   * as AMOUNT_MISMATCH.
   */
  readonly providerAmountPaise: Paise;
}

/**
 * A confirm of a verified transaction, with all its fields. A provider without a verify of its own
 * trades at the confirm under `reference`, so its adapter needs them.
 */
export interface ConfirmRequest extends VerifiedTransaction {
  readonly providerUserId: string;
  readonly reference: string;
  readonly rateId: string;
  readonly pincode?: string;
}

export interface ConfirmedTransaction {
  readonly invoiceId?: string;
}

/** `NOT_CONFIRMED` is final only once `confirmWindowMs` and a margin have passed since verify. */
export type ProviderTransactionStatus = 'NOT_CONFIRMED' | 'SUCCESS' | 'FAILED' | 'IN_PROGRESS';

interface TransactionQuery {
  readonly providerTxId: string;
}

export interface ProviderTransaction {
  readonly providerTxId: string;
  readonly kind: 'BUY' | 'SELL' | 'OTHER';
  readonly grams?: Grams;
  readonly amountPaise?: Paise;
}

interface ProviderTransactionPage {
  readonly transactions: readonly ProviderTransaction[];
  /** The number of transactions that can't be read. */
  readonly unreadable: number;
  readonly hasMore: boolean;
}

export interface GoldProviderRules {
  /** The time that a customer has to pay, from just before the verify call. */
  readonly lockMs: number;
  /** The time after a verify within which the provider accepts the confirm. */
  readonly confirmWindowMs: number;
  /** The time after the window until `NOT_CONFIRMED` counts as final. */
  readonly confirmMarginMs: number;
  readonly minimumSellPaise: Paise;
}

/**
 * A gold provider. Methods return every failure of the network or the provider as an outcome, and do
 * not throw it. A refusal has one of the codes above, or a code of
 * platform/http-client/create-call-guard.ts, which `isUnavailable` recognises.
 *
 * The caller must query the status after every confirm of any outcome, because only the status shows
 * if the confirm took effect.
 */
export interface GoldProvider {
  readonly code: string;
  /** True if the address is certainly that of the provider's test system, whose gold is not real. */
  readonly isTestSystem: boolean;
  readonly rules: GoldProviderRules;
  /** Returns both rates and the spot price. Safe to repeat. */
  price(): Promise<Outcome<ProviderPrice>>;
  /** Finds or creates the provider's user of this phone. Idempotent on the phone. */
  register(customer: ProviderCustomer): Promise<Outcome<ProviderUser>>;
  /** Sends the numbers of the customer's documents. Safe to repeat. */
  updateKyc(kyc: ProviderKyc): Promise<Outcome<void>>;
  getUser(providerUserId: string): Promise<Outcome<ProviderUser>>;
  verifyBuy(request: VerifyBuyRequest): Promise<Outcome<VerifiedTransaction>>;
  confirmBuy(request: ConfirmRequest): Promise<Outcome<ConfirmedTransaction>>;
  buyStatus(query: TransactionQuery): Promise<Outcome<ProviderTransactionStatus>>;
  verifySell(request: VerifySellRequest): Promise<Outcome<VerifiedTransaction>>;
  confirmSell(request: ConfirmRequest): Promise<Outcome<ConfirmedTransaction>>;
  sellStatus(query: TransactionQuery): Promise<Outcome<ProviderTransactionStatus>>;
  /** Returns the address of the invoice's PDF. */
  invoiceLink(query: TransactionQuery): Promise<Outcome<string>>;
  /** Returns one page of a customer's history. Pages count from 1. */
  listTransactions(providerUserId: string, page: number): Promise<Outcome<ProviderTransactionPage>>;
}
