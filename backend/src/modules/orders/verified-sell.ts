import type { Grams, Paise } from '../../money/index.ts';
import type { GoldOrder } from './gold.types.ts';

/** A sell that the provider has verified and nobody knows to be confirmed. */
export interface VerifiedSell extends GoldOrder {
  readonly status: 'VERIFIED';
  readonly grams: Grams;
  readonly proceedsPaise: Paise;
  readonly provider: string;
  readonly providerTxId: string;
  readonly providerAmountPaise: Paise;
  readonly lockStartedAt: Date;
  readonly lockEndsAt: Date;
  readonly bankAccountId: string;
}

export const isVerifiedSell = (order: GoldOrder): order is VerifiedSell =>
  order.type === 'SELL' &&
  order.status === 'VERIFIED' &&
  order.grams !== null &&
  order.proceedsPaise !== null &&
  order.provider !== null &&
  order.providerTxId !== null &&
  order.providerAmountPaise !== null &&
  order.lockStartedAt !== null &&
  order.lockEndsAt !== null &&
  order.bankAccountId !== null;
