import type { Paise } from '../../money/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';

/** The gateway does not have the order or payment. */
export const GATEWAY_NOT_FOUND = 'GATEWAY_NOT_FOUND';

/** The gateway read the request and refused it. The message has the gateway's code and text. */
export const GATEWAY_REFUSED = 'GATEWAY_REFUSED';

export interface GatewayCustomer {
  /** Our id of the customer, opaque to the gateway. */
  readonly id: string;
  /** E.164. */
  readonly phone: string;
  readonly email?: string;
  readonly name?: string;
}

export interface CreateGatewayOrder {
  /** Our payment order's id, of at most 40 characters. It is the idempotency key and the lookup key. */
  readonly receipt: string;
  readonly amountPaise: Paise;
  /** ISO 4217, `INR`. */
  readonly currency: string;
  /** The time after which the gateway should accept no payment. Not every gateway supports it. */
  readonly expiresAt?: Date;
  readonly customer: GatewayCustomer;
  /** The mandate under which the order will be debited, for a gateway whose orders have no mandate. */
  readonly mandateToken?: string;
}

/** A gateway's order, as the gateway reports it. The caller compares the amount. */
export interface GatewayOrder {
  readonly gatewayOrderId: string;
  readonly receipt: string;
  readonly amountPaise: Paise;
  readonly currency: string;
  /** `UNKNOWN` is a state without a documented meaning, which shows nothing about the payments. */
  readonly status: 'OPEN' | 'PAID' | 'CLOSED' | 'UNKNOWN';
  /** Opens the checkout of the order in the customer's app. Absent if the order's id opens it. */
  readonly checkoutSession?: string;
}

export interface GatewayPayment {
  readonly gatewayPaymentId: string;
  readonly gatewayOrderId: string;
  readonly amountPaise: Paise;
  readonly currency: string;
  readonly status: 'CAPTURED' | 'FAILED' | 'PENDING' | 'REFUNDED';
  readonly method?: string;
  readonly createdAt: Date;
}

export interface GatewayRefund {
  readonly refundId: string;
  readonly amountPaise: Paise;
  readonly status: 'PROCESSED' | 'PENDING' | 'FAILED';
  readonly createdAt: Date;
}

/** A dispute that a customer raised at the bank. Only a LOST one reverses the payment. */
export interface GatewayDispute {
  readonly disputeId: string;
  readonly amountPaise: Paise;
  readonly status: 'OPEN' | 'WON' | 'LOST';
  readonly createdAt: Date;
}

/**
 * A row that can't be read and may be about the queried object (contract: collaborators > Lists). A
 * decision by a list must not ignore such a row.
 */
export interface UnreadRow {
  readonly status: 'UNREADABLE';
}

/** A list with the rows that can be read, and an `UnreadRow` for each row that can't be read. */
export type Listed<T> = readonly (T | UnreadRow)[];

interface WithStatus {
  readonly status: string;
}

/** Returns true for a row that was read. */
export const isRead = <T extends WithStatus>(row: T | UnreadRow): row is T =>
  row.status !== 'UNREADABLE';

/** Returns true if a list has a row that may be about the queried object and can't be read. */
export const hasUnread = (listed: readonly WithStatus[]): boolean =>
  listed.some(({ status }) => status === 'UNREADABLE');

/** Identifies a payment at a gateway. Some gateways need both ids, others only the payment's. */
export interface GatewayPaymentRef {
  readonly gatewayPaymentId: string;
  /** Null if the gateway never reported the order of the payment. */
  readonly gatewayOrderId: string | null;
  /** The time of the payment, before which it has no refunds and disputes. Absent if unknown. */
  readonly createdAt?: Date;
}

/** A request for a page of the rows that were created at the gateway in a time. Pages start at 1. */
export interface AccountPageRequest {
  readonly from: Date;
  readonly to: Date;
  readonly page: number;
}

/** One page of a list of the whole account. */
export interface AccountPage<T> {
  readonly rows: readonly T[];
  /** The order or payment that each unreadable row names. Null for a row that names none. */
  readonly unreadSubjects: readonly (string | null)[];
  readonly hasMore: boolean;
}

/** A payment of the account. Its order is null if the payment has no order. */
export interface AccountPayment extends Omit<GatewayPayment, 'gatewayOrderId'> {
  readonly gatewayOrderId: string | null;
}

export interface AccountRefund extends GatewayRefund {
  readonly gatewayPaymentId: string;
}

export interface AccountDispute extends GatewayDispute {
  readonly gatewayPaymentId: string;
}

/**
 * The lists of the whole account, newest first, for reconciliation. A row that is created between the
 * reads of two pages shifts the later rows, so a row may be listed twice, but none is left out.
 */
export interface AccountLists {
  payments(request: AccountPageRequest): Promise<Outcome<AccountPage<AccountPayment>>>;
  refunds(request: AccountPageRequest): Promise<Outcome<AccountPage<AccountRefund>>>;
  disputes(request: AccountPageRequest): Promise<Outcome<AccountPage<AccountDispute>>>;
}

export interface MandateDebit {
  readonly gatewayOrderId: string;
  readonly mandateToken: string;
  readonly amountPaise: Paise;
  readonly currency: string;
  /** The key of a debit, which is the same for every repeat. */
  readonly idempotencyKey: string;
}

/** The proof that a checkout gives to the customer's device. It is not yet a payment. */
export interface CheckoutProof {
  readonly gatewayOrderId: string;
  readonly gatewayPaymentId: string;
  readonly signature: string;
}

/** An event about a payment, in the terms of the service. The caller compares amount and currency. */
export interface ParsedPaymentEvent {
  /** `other` is a signed and readable event that changes nothing. */
  readonly kind: 'captured' | 'failed' | 'other';
  /** The gateway's own name of the event, which is stored with it. */
  readonly name: string;
  readonly gatewayOrderId: string;
  readonly gatewayPaymentId: string;
  readonly amountPaise: Paise;
  readonly currency: string;
  readonly method?: string;
  readonly occurredAt: Date;
}

/** An event about a reversal of a payment, in the terms of the service. */
export interface ParsedReversalEvent {
  readonly kind: 'refunded' | 'dispute_lost';
  readonly name: string;
  /** Absent if the gateway names only the payment. */
  readonly gatewayOrderId?: string;
  readonly gatewayPaymentId: string;
  /** The gateway's id of the refund or dispute, which distinguishes reversals of the same amount. */
  readonly reference?: string;
  /** The reversed amount, which may be only a part of the payment's amount. */
  readonly amountPaise: Paise;
  readonly occurredAt: Date;
}

export type ParsedGatewayEvent = ParsedPaymentEvent | ParsedReversalEvent;

/** A signed body that can't be read as a payment event. It is stored and has no effect. */
export interface UnreadableEvent {
  readonly kind: 'unreadable';
}

export interface WebhookDelivery {
  /** The received bytes. A body that was parsed and printed has another signature. */
  readonly rawBody: Buffer;
  /** The headers by their lower-case names, as Node gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export type VerifiedWebhook =
  | { readonly valid: false }
  | {
      readonly valid: true;
      /** From a header that is not signed, so it must not be the only key against repeats. */
      readonly eventId?: string;
      readonly event: ParsedGatewayEvent | UnreadableEvent;
    };

/**
 * Returns true if the gateway answered a query. "Not found" is an answer too. Any other refusal shows
 * nothing about the money, so it must not be read as "no payment".
 */
export const hasAnswered = (outcome: Outcome<unknown>): boolean =>
  outcome.kind === 'done' || (outcome.kind === 'refused' && outcome.code === GATEWAY_NOT_FOUND);

/** The reason of an unknown outcome if the gateway can never answer the query for a payment. */
export const CANNOT_SAY = 'GATEWAY_CANNOT_SAY';

/** Returns true if the gateway can never answer the query. A repeat of the query is then useless. */
export const cannotSay = (outcome: Outcome<unknown>): boolean =>
  outcome.kind === 'unknown' && outcome.reason === CANNOT_SAY;

/**
 * A payment gateway (contract: collaborators > Adapters). Methods return every failure of the network
 * or the gateway as an outcome, and do not throw it. All amounts are paise.
 */
export interface PaymentGateway {
  readonly code: string;
  /** Identifies us in the checkout of the customer's app. It is no secret. */
  readonly publicKey: string;
  /** The kind of the credentials, by the configuration. Test credentials move no money. */
  readonly credentials: 'live' | 'test' | 'unknown';
  /** Returns false while the circuit is open. The gateway is then not chosen for new payments. */
  isAvailable(): boolean;
  /**
   * Creates an order. Some gateways return the same order for a repeat with the same receipt. For
   * others, the caller calls `findOrderByReceipt` before it repeats a call of unknown outcome.
   */
  createOrder(order: CreateGatewayOrder): Promise<Outcome<GatewayOrder>>;
  /** Returns `undefined` if the gateway certainly has no order with the receipt. */
  findOrderByReceipt(receipt: string): Promise<Outcome<GatewayOrder | undefined>>;
  getOrder(gatewayOrderId: string): Promise<Outcome<GatewayOrder>>;
  listPayments(gatewayOrderId: string): Promise<Outcome<Listed<GatewayPayment>>>;
  /** Lists refunds. Unknown with `CANNOT_SAY` if the gateway lists none for this kind of payment. */
  getRefunds(payment: GatewayPaymentRef): Promise<Outcome<Listed<GatewayRefund>>>;
  getDisputes(payment: GatewayPaymentRef): Promise<Outcome<Listed<GatewayDispute>>>;
  /** The lists of the account. Absent if the gateway has no list by time. Orders are then queried. */
  readonly account?: AccountLists;
  /**
   * Debits a mandate. An event reports how the debit ends. A repeat with the same key requests the
   * same debit, see `debitsHaveKey`. Absent if the gateway can't debit a mandate.
   */
  debitMandate?(debit: MandateDebit): Promise<Outcome<{ readonly gatewayDebitId: string }>>;
  /**
   * False if the gateway has no idempotency key for debits. A query then finds an earlier debit
   * only once it has arrived, and a repeat before that would debit twice.
   */
  readonly debitsHaveKey: boolean;
  /**
   * Checks that a checkout's proof is genuine. It checks the signature in constant time, or queries a
   * gateway that does not sign proofs.
   */
  verifyCheckout(proof: CheckoutProof): Promise<Outcome<boolean>>;
  /** True if `verifyCheckout` queries the gateway. Absent if it makes no call. */
  readonly checksProofsByQuery?: true;
  /** Checks the signature of the raw bytes under every current secret, and then reads the body. */
  verifyWebhook(delivery: WebhookDelivery): VerifiedWebhook;
}
