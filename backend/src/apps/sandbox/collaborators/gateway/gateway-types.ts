/** A payment order at the gateway. */
export interface GatewayOrder {
  readonly id: string;
  readonly amount_paise: number;
  readonly currency: string;
  readonly receipt: string;
  readonly expires_at: string | null;
  readonly created_at: string;
}

/** One attempt to pay an order. */
export interface GatewayPayment {
  readonly id: string;
  readonly order_id: string;
  readonly amount_paise: number;
  readonly currency: string;
  readonly method: string;
  readonly status: 'captured' | 'failed';
  readonly created_at: string;
}

/** Money paid back. */
export interface GatewayRefund {
  readonly id: string;
  readonly payment_id: string;
  readonly amount_paise: number;
  readonly status: 'processed';
  readonly created_at: string;
}

/** A debit asked for under a mandate. */
export interface GatewayDebit {
  readonly id: string;
  readonly order_id: string;
  readonly reference: string;
  readonly mandate_token: string;
  readonly amount_paise: number;
  readonly currency: string;
  readonly status: 'pending' | 'captured' | 'failed';
  readonly created_at: string;
}
