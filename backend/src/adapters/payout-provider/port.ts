import type { Paise } from '../../money/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';

/** The provider knows no such payout or validation. */
export const PAYOUT_NOT_FOUND = 'PAYOUT_NOT_FOUND';

/** The provider read the request and refused it. Its own code and text are in the message. */
export const PAYOUT_REFUSED = 'PAYOUT_REFUSED';

/** The holder of a bank account, as the provider's records name them. */
export interface Payee {
  /** Our id of the customer, at most 40 characters, opaque to the provider. */
  readonly reference: string;
  readonly name: string;
  /** E.164. */
  readonly phone?: string;
  readonly email?: string;
}

/** A bank account in clear. Never logged, never kept outside a sealed column. */
export interface BankDetails {
  readonly holderName: string;
  readonly ifsc: string;
  readonly accountNumber: string;
}

export interface EnsureFundAccount {
  readonly payee: Payee;
  readonly bank: BankDetails;
}

/** The provider's record of a bank account. Immutable: other details make another fund account. */
export interface FundAccount {
  readonly contactId: string;
  readonly fundAccountId: string;
}

/**
 * One attempt of a payout. Every resend of an attempt has the same members, to the letter: the
 * provider refuses a known key with another body.
 */
export interface CreatePayout {
  /**
   * The payout's id without hyphens, `-`, the attempt's number (contract: payouts > Payout
   * attempts).
   */
  readonly idempotencyKey: string;
  readonly fundAccountId: string;
  readonly amountPaise: Paise;
  readonly mode: 'IMPS';
  /** At most 40 characters, one for each attempt (the idempotency key is a good one): by it an
   * attempt whose answer was lost is found again. */
  readonly referenceId: string;
  /** On the customer's bank statement. The adapter keeps to what the provider allows there. */
  readonly narration: string;
}

/**
 * `FAILED`: certainly not paid, and never will be. `REVERSED`: it came back, after `PAID` or
 * without one. Both are the attempt's end. So is `PAID` but for a reversal.
 */
export type ProviderPayoutStatus = 'PROCESSING' | 'PAID' | 'FAILED' | 'REVERSED';

/** A payout as the provider sees it. The caller compares the amount. */
export interface ProviderPayout {
  readonly providerPayoutId: string;
  readonly referenceId?: string;
  readonly fundAccountId?: string;
  readonly amountPaise: Paise;
  readonly status: ProviderPayoutStatus;
  /**
   * The provider's own name of the status, which sets payout events apart
   * (contract: payments-and-webhooks > Payout events).
   */
  readonly providerStatus: string;
  readonly mode?: string;
  /** The bank's reference of the transfer. */
  readonly utr?: string;
  /** The provider's words, without digits that could be part of an account number. */
  readonly failureReason?: string;
}

interface StartValidation {
  /** The bank account's id, at most 40 characters. It is the same for each re-verification. */
  readonly bankAccountId: string;
  readonly payee: Payee;
  readonly bank: BankDetails;
}

/**
 * `INVALID`: the bank answered that there is no such active account. `FAILED`: there was no answer
 * from the bank. A new validation may succeed.
 */
export type ValidationStatus = 'PENDING' | 'VALID' | 'INVALID' | 'FAILED';

/** A penny-drop as the provider sees it. */
export interface ProviderValidation {
  readonly validationId: string;
  /** The bank account's id, if the provider's answer repeats it. */
  readonly referenceId?: string;
  readonly status: ValidationStatus;
  readonly providerStatus: string;
  /** The holder by the bank's own books. */
  readonly registeredName?: string;
  /** 0 to 100: how well the name given fits the registered one. */
  readonly nameMatchScore?: number;
  /** The provider's words, without digits that could be part of an account number. */
  readonly reason?: string;
}

/** A payout as an event reports it. It has an amount only if the provider repeats it. */
export interface PayoutReport extends Omit<ProviderPayout, 'amountPaise'> {
  readonly amountPaise?: Paise;
}

/** One event of the provider, in our words. Events come in any order and more than once. */
export type PayoutProviderEvent =
  | {
      readonly kind: 'payout';
      /** The provider's own name of the event, for the record. */
      readonly name: string;
      readonly payout: PayoutReport;
      readonly occurredAt?: Date;
    }
  | {
      readonly kind: 'validation';
      readonly name: string;
      readonly validation: ProviderValidation;
      readonly occurredAt?: Date;
    }
  /** Signed and readable, but of no consequence: stored, and of no effect. */
  | { readonly kind: 'other'; readonly name: string }
  /** Signed, but can't be read: stored, and of no effect. */
  | { readonly kind: 'unreadable' };

interface PayoutWebhookDelivery {
  /** The bytes as they came: a parsed and printed body has another signature. */
  readonly rawBody: Buffer;
  /** Lower-case names, as Node gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export type VerifiedPayoutWebhook =
  | { readonly valid: false }
  | {
      readonly valid: true;
      /** From a header that the signature does not cover: never the only key against repeats. */
      readonly eventId?: string;
      readonly event: PayoutProviderEvent;
    };

/** A stretch of time by when payouts were made at the provider, and which page of it, from 1. */
export interface PayoutPageRequest {
  readonly from: Date;
  readonly to: Date;
  readonly page: number;
}

interface PayoutPage {
  readonly payouts: readonly ProviderPayout[];
  /** The number of payouts that can't be read: any of them may be ours. */
  readonly unread: number;
  readonly hasMore: boolean;
}

/** Limits that differ from provider to provider. */
export interface PayoutProviderRules {
  /** The least that can be paid out. */
  readonly minimumPaise: Paise;
  /** The most that one IMPS transfer carries. */
  readonly maximumImpsPaise: Paise;
  /** The time after its first send for which a key is remembered. A later resend could pay twice:
   * by then only a query is safe, and its answer is final. */
  readonly idempotencyKeyLifeMs: number;
}

/**
 * A payout provider (contract: collaborators > Outcomes). Methods never throw for what the network
 * or the provider does: that is the outcome. Refusals carry one of the codes above or one of
 * platform/http-client/create-call-guard.ts (`isUnavailable` is true for the latter).
 */
export interface PayoutProvider {
  readonly code: string;
  /** True if its credentials are certainly test credentials, with which it pays no money. */
  readonly isTestSystem: boolean;
  readonly rules: PayoutProviderRules;
  /** Finds or makes the contact of this reference and its fund account. Safe to repeat. */
  ensureFundAccount(request: EnsureFundAccount): Promise<Outcome<FundAccount>>;
  /**
   * Requests one attempt of a payout. `refused` with `PAYOUT_REFUSED` means that no payout of this
   * reference exists (the adapter queried it). The other refusals are of this call alone, not of an
   * earlier send of the same key whose answer was lost. After an unknown outcome:
   * `findPayoutByReference`. Where that finds none, an earlier send may still be on its way, so the
   * same attempt is sent again under the same key, never under another.
   */
  createPayout(payout: CreatePayout): Promise<Outcome<ProviderPayout>>;
  getPayout(providerPayoutId: string): Promise<Outcome<ProviderPayout>>;
  /** `undefined`: the provider has no payout of this reference by now. */
  findPayoutByReference(referenceId: string): Promise<Outcome<ProviderPayout | undefined>>;
  /** One page of our account's payouts, newest first, for reconciliation. A payout made between
   * two pages shifts the rest: a payout may come twice. */
  listPayouts(request: PayoutPageRequest): Promise<Outcome<PayoutPage>>;
  /**
   * Starts a penny-drop. The result comes as an event, or from a query. After an unknown outcome a
   * second one does no harm: it costs a rupee, and any of them validates the same account. There is
   * no query by reference, for no provider is known to offer it.
   */
  startValidation(validation: StartValidation): Promise<Outcome<ProviderValidation>>;
  getValidation(validationId: string): Promise<Outcome<ProviderValidation>>;
  /** Checks the signature over the raw bytes under every secret in force. Then reads the body. */
  verifyWebhook(delivery: PayoutWebhookDelivery): VerifiedPayoutWebhook;
}
