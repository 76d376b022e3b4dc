import type { Grams, Paise } from '../../money/index.ts';

export const transactionKinds = [
  'GOLD_BUY',
  'GOLD_SELL',
  'SIP_INSTALLMENT',
  'PRODUCT_ORDER',
  'PAYOUT',
] as const;

export type TransactionKind = (typeof transactionKinds)[number];

/** A gold order, product order or payout in a customer's feed. */
export interface Transaction {
  readonly id: string;
  readonly kind: TransactionKind;
  readonly status: string;
  /** The amount that the customer pays or receives, including tax. */
  readonly amountPaise: Paise;
  readonly grams: Grams | null;
  readonly createdAt: Date;
}

/** A transaction as operators see it. */
export interface OperatorTransaction extends Transaction {
  readonly userId: string;
}
