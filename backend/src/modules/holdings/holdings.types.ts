import type { Grams, Paise } from '../../money/index.ts';

export interface Holding {
  readonly balance: Grams;
  /**
   * Reserved by sales in progress and reviews of reversed payments. It is a part of the balance.
   */
  readonly reserved: Grams;
  /** The price, including tax, that the customer paid for the gold they still hold. */
  readonly investedPaise: Paise;
}

/** Gold that comes in with an order. */
export interface Credit {
  readonly movementId: string;
  readonly userId: string;
  readonly orderId: string;
  /** The grams that the provider confirmed. */
  readonly grams: Grams;
  /** The price that the customer paid for it, including tax. */
  readonly investedPaise: Paise;
  readonly at: Date;
}

/** Gold that a sale or a review reserves or releases. */
export interface Reservation {
  readonly userId: string;
  readonly grams: Grams;
  readonly at: Date;
}

/** The grams of an order that its review reserves, as far as they are still there. */
export interface ReviewReservation extends Reservation {
  readonly id: string;
  readonly orderId: string;
}

/** Gold that leaves with a sale, or is recovered for the house. It was reserved before. */
export interface Debit extends Reservation {
  readonly movementId: string;
  readonly orderId: string;
  /** DEBIT, a sale, where it is not given. */
  readonly kind?: 'DEBIT' | 'RECOVERED';
}
