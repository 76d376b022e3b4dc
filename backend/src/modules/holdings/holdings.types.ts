import type { Grams, Paise } from '../../money/index.ts';

export interface Holding {
  readonly balance: Grams;
  /**
   * The grams that sales in progress and reviews of reversed payments reserve. They are a part of the
   * balance.
   */
  readonly reserved: Grams;
  /** The price, including tax, that the customer paid for the gold they still hold. */
  readonly investedPaise: Paise;
}

/** The gold that an order credits. */
export interface Credit {
  readonly movementId: string;
  readonly userId: string;
  readonly orderId: string;
  /** The grams that the provider confirmed. */
  readonly grams: Grams;
  /** The price that the customer paid for these grams, including tax. */
  readonly investedPaise: Paise;
  readonly at: Date;
}

/** The gold that a sale or a review reserves or releases. */
export interface Reservation {
  readonly userId: string;
  readonly grams: Grams;
  readonly at: Date;
}

/** The grams of an order that its review is to reserve. Fewer grams may be available. */
export interface ReviewReservation extends Reservation {
  readonly id: string;
  readonly orderId: string;
}

/** The gold that a sale debits, or that is recovered for the house. It must be reserved. */
export interface Debit extends Reservation {
  readonly movementId: string;
  readonly orderId: string;
  /** The kind of the movement. It is DEBIT, for a sale, by default. */
  readonly kind?: 'DEBIT' | 'RECOVERED';
}
