import type { Paise } from '../../money/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';

/** The gateway knows no such order or payment. */
export const GATEWAY_NOT_FOUND = 'GATEWAY_NOT_FOUND';

/** The gateway read the request and refused it. Its own code and text are in the message. */
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
  /** Our payment order's id, at most 40 characters: the idempotency key and the lookup key. */
  readonly receipt: string;
  readonly amountPaise: Paise;
  /** ISO 4217, `INR`. */
  readonly currency: string;
  /** The gateway should accept no payment after it. Not every gateway supports that. */
  readonly expiresAt?: Date;
  readonly customer: GatewayCustomer;
  /** The mandate that the order will be debited under, for a gateway that keeps the two apart. */
  readonly mandateToken?: string;
}

/** A gateway's order as the gateway sees it. The caller compares the echoed amount. */
export interface GatewayOrder {
  readonly gatewayOrderId: string;
  readonly receipt: string;
  readonly amountPaise: Paise;
  readonly currency: string;
  /** `UNKNOWN`: in a state that we don't know, which proves nothing about its payments. */
  readonly status: 'OPEN' | 'PAID' | 'CLOSED' | 'UNKNOWN';
  /** Opens the checkout of this order in the customer's app. Absent if the order's id does. */
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
 * A row that may be about the queried object and can't be read (contract: collaborators > Lists).
 * It may mean anything, so a decision by a list with such a row must not ignore it.
 */
export interface UnreadRow {
  readonly status: 'UNREADABLE';
}

/** A list as far as it can be read. Each row that can't be is there without its contents. */
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

/** Identifies a payment at a gateway: some need both ids, some only the payment's. */
export interface GatewayPaymentRef {
  readonly gatewayPaymentId: string;
  /** Null if it was never reported to us. */
  readonly gatewayOrderId: string | null;
  /** The time from which on it may have refunds and disputes. Absent if it is not known. */
  readonly createdAt?: Date;
}

/** A stretch of time by when rows were made at the gateway, and which page of it, from 1. */
export interface AccountPageRequest {
  readonly from: Date;
  readonly to: Date;
  readonly page: number;
}

/** One page of a list of the whole account. */
export interface AccountPage<T> {
  readonly rows: readonly T[];
  /**
   * The order or payment that each unreadable row names. A row with null may be about anything.
   */
  readonly unreadAbout: readonly (string | null)[];
  readonly hasMore: boolean;
}

/** A payment of the account. Its order is null if it was not made for one. */
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
 * Lists of the whole account, newest first, for reconciliation. A row that is made between two
 * pages shifts the rest: a row may come twice, and none is left out.
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
  /** The same on every repeat of one debit. */
  readonly idempotencyKey: string;
}

/** The proof that a checkout hands to the customer's device, and the device to us: no payment. */
export interface CheckoutProof {
  readonly gatewayOrderId: string;
  readonly gatewayPaymentId: string;
  readonly signature: string;
}

/** One event about one payment, in our words. The caller compares amount and currency. */
export interface ParsedPaymentEvent {
  /** `other`: signed and readable, but of no consequence for the order. */
  readonly kind: 'captured' | 'failed' | 'other';
  /** The gateway's own name of the event, for the record. */
  readonly name: string;
  readonly gatewayOrderId: string;
  readonly gatewayPaymentId: string;
  readonly amountPaise: Paise;
  readonly currency: string;
  readonly method?: string;
  readonly occurredAt: Date;
}

/** One event about a reversal of a payment, in our words. */
export interface ParsedReversalEvent {
  readonly kind: 'refunded' | 'dispute_lost';
  readonly name: string;
  /** Absent if the gateway names only the payment. */
  readonly gatewayOrderId?: string;
  readonly gatewayPaymentId: string;
  /** The gateway's id of the refund or dispute, which distinguishes two of the same amount. */
  readonly reference?: string;
  /** The reversed amount, which may be a part of the payment's. */
  readonly amountPaise: Paise;
  readonly occurredAt: Date;
}

export type ParsedGatewayEvent = ParsedPaymentEvent | ParsedReversalEvent;

/** A signed body that can't be read as a payment event: stored, and of no effect. */
export interface UnreadableEvent {
  readonly kind: 'unreadable';
}

export interface WebhookDelivery {
  /** The bytes as they came: a parsed and printed body has another signature. */
  readonly rawBody: Buffer;
  /** Lower-case names, as Node gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export type VerifiedWebhook =
  | { readonly valid: false }
  | {
      readonly valid: true;
      /** From a header that the signature does not cover: never the only key against repeats. */
      readonly eventId?: string;
      readonly event: ParsedGatewayEvent | UnreadableEvent;
    };

/**
 * Returns true for an answer, "no such payment" included. Any other refusal of the query shows
 * nothing about the money: if it were read as "no payment", it would hide a capture or a refund.
 */
export const hasAnswered = (outcome: Outcome<unknown>): boolean =>
  outcome.kind === 'done' || (outcome.kind === 'refused' && outcome.code === GATEWAY_NOT_FOUND);

/** The code of a query that the gateway can never answer for this payment. */
export const CANNOT_SAY = 'GATEWAY_CANNOT_SAY';

/** Returns true if another query is of no use, though the gateway answers other queries. */
export const cannotSay = (outcome: Outcome<unknown>): boolean =>
  outcome.kind === 'unknown' && outcome.reason === CANNOT_SAY;

/**
 * A payment gateway (contract: collaborators > Adapters). Methods never throw for what the network
 * or the gateway does, but return it as the outcome. All amounts are paise.
 */
export interface PaymentGateway {
  readonly code: string;
  /** Identifies us in the checkout of the customer's app. It is no secret. */
  readonly publicKey: string;
  /** As far as the configuration shows: test credentials move no money. */
  readonly credentials: 'live' | 'test' | 'unknown';
  /** Returns false while its circuit is open: it is not chosen for new payments then. */
  isAvailable(): boolean;
  /**
   * Returns the same order for the same receipt if the gateway supports that. Otherwise call
   * `findOrderByReceipt` before a repeat whose first answer was lost.
   */
  createOrder(order: CreateGatewayOrder): Promise<Outcome<GatewayOrder>>;
  /** `undefined`: the gateway certainly has no order of this receipt. */
  findOrderByReceipt(receipt: string): Promise<Outcome<GatewayOrder | undefined>>;
  getOrder(gatewayOrderId: string): Promise<Outcome<GatewayOrder>>;
  listPayments(gatewayOrderId: string): Promise<Outcome<Listed<GatewayPayment>>>;
  /** Unknown with `CANNOT_SAY` if the gateway lists no refunds of such a payment. */
  getRefunds(payment: GatewayPaymentRef): Promise<Outcome<Listed<GatewayRefund>>>;
  getDisputes(payment: GatewayPaymentRef): Promise<Outcome<Listed<GatewayDispute>>>;
  /** Absent if the gateway has no list by time: each order is then queried. */
  readonly account?: AccountLists;
  /**
   * Absent if the gateway can't debit a mandate. The result of the debit comes as an event. A
   * repeat with the same key requests the same debit. See `debitsHaveKey`.
   */
  debitMandate?(debit: MandateDebit): Promise<Outcome<{ readonly gatewayDebitId: string }>>;
  /**
   * False if the gateway has no idempotency key for debits. A query then finds an earlier debit
   * only once it has arrived, and a repeat before that would debit twice.
   */
  readonly debitsHaveKey: boolean;
  /**
   * Checks that the checkout's answer is genuine, by its signature in constant time. If the gateway
   * signs no answers, it queries the gateway, and so it returns an outcome.
   */
  verifyCheckout(proof: CheckoutProof): Promise<Outcome<boolean>>;
  /** True if `verifyCheckout` is such a query. Omitted if it makes no call. */
  readonly checksProofsByQuery?: true;
  /** Checks the signature over the raw bytes under every secret in force. Then reads the body. */
  verifyWebhook(delivery: WebhookDelivery): VerifiedWebhook;
}
