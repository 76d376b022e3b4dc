export const deliverModes = ['webhook', 'none', 'duplicate', 'reordered', 'delayed'] as const;

/** What the customer does at a checkout, and how the gateway then tells of it. */
export interface PaymentPlay {
  readonly outcome: 'captured' | 'failed';
  readonly method?: string | undefined;
  /** Another amount than the order's. */
  readonly amountPaise?: number | undefined;
  readonly currency?: string | undefined;
  readonly deliver?: (typeof deliverModes)[number] | undefined;
  /** Of `delayed`, in real time. */
  readonly delayMs?: number | undefined;
}

/** What the customer's side learns. */
export interface PlayedPayment {
  readonly gateway_payment_id: string;
  readonly gateway_order_id: string;
  readonly status: string;
  readonly amount_paise: number;
  readonly currency: string;
  readonly method: string;
  readonly signature: string;
}

/** A checkout, for people. */
interface Checkout {
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

type PlayedRefund =
  | { readonly reference: string; readonly amountPaise: number }
  /** Refused: so much is left to pay back. */
  | { readonly leftPaise: number };

/** Where a gateway's payments are played; each gateway has one. */
export interface CheckoutSimulator {
  /** Undefined for an order of another gateway. */
  play(gatewayOrderId: string, play: PaymentPlay): PlayedPayment | undefined;
  /** Pays back all that is left, or `amountPaise` of it. Undefined for another gateway's payment. */
  refund(gatewayPaymentId: string, amountPaise: number | undefined): PlayedRefund | undefined;
  /** The newest `count` checkouts, newest first. */
  checkouts(count: number): readonly Checkout[];
  /** The newest `count` payments, newest first. */
  payments(count: number): readonly PlayedPayment[];
}
