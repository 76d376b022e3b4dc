import type { Paise } from '../../money/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';

/** The provider does not have the payout or validation. */
export const PAYOUT_NOT_FOUND = 'PAYOUT_NOT_FOUND';

/** The provider read the request and refused it. The message has the provider's code and text. */
export const PAYOUT_REFUSED = 'PAYOUT_REFUSED';

/** The holder of a bank account, as recorded at the provider. */
export interface Payee {
  /** Our id of the customer, at most 40 characters, opaque to the provider. */
  readonly reference: string;
  readonly name: string;
  /** E.164. */
  readonly phone?: string;
  readonly email?: string;
}

/** A bank account in clear text. It must not be logged, and is stored only in a sealed column. */
export interface BankDetails {
  readonly holderName: string;
  readonly ifsc: string;
  readonly accountNumber: string;
}

export interface EnsureFundAccount {
  readonly payee: Payee;
  readonly bank: BankDetails;
}

/** The provider's record of a bank account. It never changes. Other details have another record. */
export interface FundAccount {
  readonly contactId: string;
  readonly fundAccountId: string;
}

/**
 * An attempt of a payout. Every resend of an attempt must have the same values, because the provider
 * refuses a known key with another body.
 */
export interface CreatePayout {
  /** The payout's id without hyphens, then `-` and the number (contract: payouts > Payout attempts). */
  readonly idempotencyKey: string;
  readonly fundAccountId: string;
  readonly amountPaise: Paise;
  readonly mode: 'IMPS';
  /**
   * The reference of the attempt, of at most 40 characters. It must be different for each attempt,
   * since an attempt of unknown outcome is found by it.
   */
  readonly referenceId: string;
  /** The text on the customer's bank statement. The adapter removes characters that are not allowed. */
  readonly narration: string;
}

/**
 * The statuses of a payout.
 *
 * * `PROCESSING` means that the payout is in progress.
 * * `PAID` means that the money was paid. It may still be reversed.
 * * `FAILED` means that the money was certainly not paid, and never will be.
 * * `REVERSED` means that the money came back. A payout may be reversed without being `PAID` before.
 */
export type ProviderPayoutStatus = 'PROCESSING' | 'PAID' | 'FAILED' | 'REVERSED';

/** A payout, as the provider reports it. The caller compares the amount. */
export interface ProviderPayout {
  readonly providerPayoutId: string;
  readonly referenceId?: string;
  readonly fundAccountId?: string;
  readonly amountPaise: Paise;
  readonly status: ProviderPayoutStatus;
  /**
   * The provider's own name of the status, which distinguishes payout events (contract:
   * payments-and-webhooks > Payout events).
   */
  readonly providerStatus: string;
  readonly mode?: string;
  /** The bank's reference of the transfer. */
  readonly utr?: string;
  /** The provider's text, without digits that could be a part of an account number. */
  readonly failureReason?: string;
}

interface StartValidation {
  /** The bank account's id, of at most 40 characters. It is the same for every validation. */
  readonly bankAccountId: string;
  readonly payee: Payee;
  readonly bank: BankDetails;
}

/**
 * The statuses of a validation. `INVALID` means that the bank has no such active account. `FAILED`
 * means that the bank did not respond, so that a new validation may succeed.
 */
export type ValidationStatus = 'PENDING' | 'VALID' | 'INVALID' | 'FAILED';

/** A penny-drop, as the provider reports it. */
export interface ProviderValidation {
  readonly validationId: string;
  /** The bank account's id. Absent if the response does not repeat it. */
  readonly referenceId?: string;
  readonly status: ValidationStatus;
  readonly providerStatus: string;
  /** The name of the holder at the bank. */
  readonly registeredName?: string;
  /** The similarity of the given and the registered name, from 0 to 100. */
  readonly nameMatchScore?: number;
  /** The provider's text, without digits that could be a part of an account number. */
  readonly reason?: string;
}

/** A payout, as an event reports it. The amount is absent if the event does not have it. */
export interface PayoutReport extends Omit<ProviderPayout, 'amountPaise'> {
  readonly amountPaise?: Paise;
}

/**
 * An event of the provider, in the terms of the service. Events may arrive in any order and more than
 * once.
 */
export type PayoutProviderEvent =
  | {
      readonly kind: 'payout';
      /** The provider's own name of the event, which is stored with it. */
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
  /** A signed and readable event that is stored and has no effect. */
  | { readonly kind: 'other'; readonly name: string }
  /** A signed event that can't be read. It is stored and has no effect. */
  | { readonly kind: 'unreadable' };

interface PayoutWebhookDelivery {
  /** The received bytes. A body that was parsed and printed has another signature. */
  readonly rawBody: Buffer;
  /** The headers by their lower-case names, as Node gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export type VerifiedPayoutWebhook =
  | { readonly valid: false }
  | {
      readonly valid: true;
      /** From a header that is not signed, so it must not be the only key against repeats. */
      readonly eventId?: string;
      readonly event: PayoutProviderEvent;
    };

/** A request for a page of the payouts that were created in a time. Pages start at 1. */
export interface PayoutPageRequest {
  readonly from: Date;
  readonly to: Date;
  readonly page: number;
}

interface PayoutPage {
  readonly payouts: readonly ProviderPayout[];
  /** The number of payouts that can't be read. Any of them may be ours. */
  readonly unreadable: number;
  readonly hasMore: boolean;
}

/** The limits of a provider. */
export interface PayoutProviderRules {
  /** The minimum amount of a payout. */
  readonly minimumPaise: Paise;
  /** The maximum amount of an IMPS transfer. */
  readonly maximumImpsPaise: Paise;
  /**
   * The time after its first send for which the provider remembers a key. A later resend could pay
   * twice. After this time only a query is safe, and its answer is final.
   */
  readonly idempotencyKeyLifeMs: number;
}

/**
 * A payout provider (contract: collaborators > Outcomes). Methods return every failure of the network
 * or the provider as an outcome, and do not throw it. A refusal has one of the codes above, or a code
 * of platform/http-client/create-call-guard.ts, which `isUnavailable` recognises.
 */
export interface PayoutProvider {
  readonly code: string;
  /** True if the credentials are certainly test credentials, with which no money is paid. */
  readonly isTestSystem: boolean;
  readonly rules: PayoutProviderRules;
  /** Finds or creates the contact of a reference and its fund account. Safe to repeat. */
  ensureFundAccount(request: EnsureFundAccount): Promise<Outcome<FundAccount>>;
  /**
   * Requests an attempt of a payout. A refusal with `PAYOUT_REFUSED` means that no payout with the
   * reference exists, because the adapter has queried it. Any other refusal is only of this call, and
   * shows nothing about an earlier send of unknown outcome. After an unknown outcome, the caller uses
   * `findPayoutByReference`. If that finds none, an earlier send may still arrive. The caller must
   * then repeat the attempt with the same key, and never with another key.
   */
  createPayout(payout: CreatePayout): Promise<Outcome<ProviderPayout>>;
  getPayout(providerPayoutId: string): Promise<Outcome<ProviderPayout>>;
  /** Returns `undefined` if the provider has no payout with the reference yet. */
  findPayoutByReference(referenceId: string): Promise<Outcome<ProviderPayout | undefined>>;
  /**
   * Lists a page of our account's payouts, newest first, for reconciliation. A payout that is created
   * between the reads of two pages shifts the later payouts, so a payout may be listed twice.
   */
  listPayouts(request: PayoutPageRequest): Promise<Outcome<PayoutPage>>;
  /**
   * Starts a penny-drop. The result comes by an event or a query. After an unknown outcome a repeat is
   * harmless. It costs a rupee and validates the same account. There is no query by reference, since
   * no known provider has one.
   */
  startValidation(validation: StartValidation): Promise<Outcome<ProviderValidation>>;
  getValidation(validationId: string): Promise<Outcome<ProviderValidation>>;
  /** Checks the signature of the raw bytes under every current secret, and then reads the body. */
  verifyWebhook(delivery: PayoutWebhookDelivery): VerifiedPayoutWebhook;
}
