import type { Grams } from '../../money/index.ts';
import type { GoldOrder } from './gold.types.ts';
import type { NewConfirm } from '../provider-operations/index.ts';

/** An order with the provider's lock behind it: every buy. */
export interface LockedBuy extends GoldOrder {
  readonly grams: Grams;
  readonly provider: string;
  readonly providerTxId: string;
  readonly lockStartedAt: Date;
  readonly lockEndsAt: Date;
}

export const isLockedBuy = (order: GoldOrder): order is LockedBuy =>
  order.type === 'BUY' &&
  order.grams !== null &&
  order.provider !== null &&
  order.providerTxId !== null &&
  order.lockStartedAt !== null &&
  order.lockEndsAt !== null;

/** The intent to confirm an order's transaction; `grams` is what its verify promised. */
export const newConfirm = (
  order: LockedBuy,
  { id, grams, at }: { readonly id: string; readonly grams: Grams | undefined; readonly at: Date },
): NewConfirm => ({
  id,
  orderId: order.id,
  quoteId: order.quoteId,
  userId: order.userId,
  provider: order.provider,
  providerTxId: order.providerTxId,
  grams: grams ?? order.grams,
  amountPaise: order.providerAmountPaise,
  verifiedAt: order.lockStartedAt,
  at,
});
