import type { Grams, Paise } from '../../money/index.ts';

export const transactionKinds = [
  'GOLD_BUY',
  'GOLD_SELL',
  'SIP_INSTALLMENT',
  'PRODUCT_ORDER',
  'PAYOUT',
] as const;

export type TransactionKind = (typeof transactionKinds)[number];

/** Something that moved, or will move, a customer's money. */
export interface Transaction {
  readonly id: string;
  readonly kind: TransactionKind;
  readonly status: string;
  /** Paid by the customer or to them, tax in. */
  readonly amountPaise: Paise;
  readonly grams: Grams | null;
  readonly createdAt: Date;
}

/** The same, as operators see it. */
export interface OperatorTransaction extends Transaction {
  readonly userId: string;
}
