import type { PaymentOrderStatus } from './payments.types.ts';

/** Who can cause a move of a payment order. */
export type PaymentMover = 'service' | 'gateway' | 'operator';

interface Move {
  readonly by: readonly PaymentMover[];
  readonly because: string;
}

/**
 * The payment order's whole life (decisions, section 3). Every move but those of `service` comes
 * with a move of its gold order, in the same transaction.
 */
export const paymentOrderMoves: Readonly<
  Record<PaymentOrderStatus, Readonly<Partial<Record<PaymentOrderStatus, Move>>>>
> = {
  CREATED: {
    GATEWAY_ORDER_CREATED: { by: ['service'], because: 'the gateway echoed amount and currency' },
    FAILED: { by: ['gateway'], because: 'the gateway refused the order, or echoed another' },
    EXPIRED: { by: ['service'], because: 'the price lock ended' },
  },
  GATEWAY_ORDER_CREATED: {
    PAID: { by: ['gateway'], because: 'a capture' },
    FAILED: { by: ['gateway'], because: 'a failed payment' },
    MANUAL_REVIEW: { by: ['gateway'], because: 'a capture of another amount or currency' },
    EXPIRED: { by: ['service'], because: 'the price lock ended' },
  },
  FAILED: {
    PAID: { by: ['gateway'], because: 'people try again in the same checkout' },
    MANUAL_REVIEW: { by: ['gateway'], because: 'a capture of another amount or currency' },
  },
  EXPIRED: {
    PAID: { by: ['gateway'], because: 'a late capture is money all the same' },
    MANUAL_REVIEW: { by: ['gateway'], because: 'a capture of another amount or currency' },
  },
  PAID: {
    REFUNDED: { by: ['operator'], because: 'paid back, and the order failed' },
  },
  MANUAL_REVIEW: {
    REFUNDED: { by: ['operator'], because: 'paid back, and the order failed' },
  },
  REFUNDED: {},
};

/** Whether the table has this move. */
export const mayMovePaymentOrder = (from: PaymentOrderStatus, to: PaymentOrderStatus): boolean =>
  paymentOrderMoves[from][to] !== undefined;
