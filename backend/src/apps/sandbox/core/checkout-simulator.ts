export const deliverModes = ['webhook', 'none', 'duplicate', 'reordered', 'delayed'] as const;

/** Plays the customer at a checkout, and chooses how the gateway's webhooks are delivered. */
export interface PaymentPlay {
  readonly outcome: 'captured' | 'failed';
  readonly method?: string | undefined;
  /** The amount, if it differs from the order's. */
  readonly amountPaise?: number | undefined;
  readonly currency?: string | undefined;
  readonly deliver?: (typeof deliverModes)[number] | undefined;
  /** The delay of `delayed`, in real time. */
  readonly delayMs?: number | undefined;
}

/** The payment as the customer's side sees it, with its signature. */
export interface PlayedPayment {
  readonly gateway_payment_id: string;
  readonly gateway_order_id: string;
  readonly status: string;
  readonly amount_paise: number;
  readonly currency: string;
  readonly method: string;
  readonly signature: string;
}

/** Shows a checkout to people. */
export interface Checkout {
  readonly gateway: string;
  readonly gatewayOrderId: string;
  readonly receipt: string;
  readonly amountPaise: number;
  readonly currency: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly isPaid: boolean;
  readonly payments: readonly { readonly id: string; readonly status: string }[];
}

/** Reverses a captured payment, and chooses how its webhook is delivered. */
export interface ReversalPlay {
  /** The amount. By default it is the whole remaining amount. */
  readonly amountPaise?: number | undefined;
  readonly deliver?: 'webhook' | 'none' | 'duplicate' | undefined;
}

export type PlayedReversal =
  | { readonly reference: string; readonly amountPaise: number }
  /** The reversal was refused, because only this amount can still be reversed. */
  | { readonly leftPaise: number };

/** Simulates the payments of a gateway. */
export interface CheckoutSimulator {
  /**
   * Plays a payment. Returns undefined for an order of another gateway, and refuses an order that
   * can no longer be paid.
   */
  play(
    gatewayOrderId: string,
    play: PaymentPlay,
  ): PlayedPayment | { readonly refused: string } | undefined;
  /** Refunds a payment. Returns undefined for another gateway's payment. */
  refund(gatewayPaymentId: string, play: ReversalPlay): PlayedReversal | undefined;
  /**
   * Loses a dispute over a payment, which may also have been refunded. Returns undefined for
   * another gateway's payment.
   */
  loseDispute(gatewayPaymentId: string, play: ReversalPlay): PlayedReversal | undefined;
  /** Lists the newest `count` checkouts, newest first. */
  checkouts(count: number): readonly Checkout[];
  /** Lists the newest `count` payments, newest first. */
  payments(count: number): readonly PlayedPayment[];
}
