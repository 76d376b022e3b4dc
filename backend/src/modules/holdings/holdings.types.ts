import { ZERO_GRAMS, ZERO_PAISE, type Grams, type Paise } from '../../money/index.ts';

/** What a customer holds. */
export interface Holding {
  readonly balance: Grams;
  /** Locked by sells in progress; part of the balance. */
  readonly reserved: Grams;
  /** What the customer paid, tax in, for what is still held. */
  readonly investedPaise: Paise;
}

export const EMPTY_HOLDING: Holding = {
  balance: ZERO_GRAMS,
  reserved: ZERO_GRAMS,
  investedPaise: ZERO_PAISE,
};

/** Gold that comes in with an order. */
export interface Credit {
  readonly movementId: string;
  readonly userId: string;
  readonly orderId: string;
  /** What the provider confirmed. */
  readonly grams: Grams;
  /** What the customer paid for it, tax in. */
  readonly investedPaise: Paise;
  readonly at: Date;
}

/** Gold that a sell holds back, or gives back. */
export interface Reservation {
  readonly userId: string;
  readonly grams: Grams;
  readonly at: Date;
}

/** Gold that leaves with a sell; it was reserved before. */
export interface Debit extends Reservation {
  readonly movementId: string;
  readonly orderId: string;
}
