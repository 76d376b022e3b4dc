import { okAnswer, type Operation } from '../../core/collaborator.ts';
import { overstateDecimal } from '../../core/wrong-amount.ts';
import type { SafegoldStore, Side } from './safegold-store.ts';
import type { PriceSource } from './price-source.ts';
import { rupees, timeText } from './safegold-wire.ts';

interface PriceOptions {
  readonly store: SafegoldStore;
  readonly prices: PriceSource;
}

/** Serves buy-price and sell-price: each call quotes a rate of its own, valid for seven minutes. */
export const priceOperations = ({ store, prices }: PriceOptions): readonly Operation[] => {
  const quote = (side: Side) => {
    const { buyPaise, sellPaise, spotPaise } = prices.current();
    const rate = store.quote(side, side === 'buy' ? buyPaise : sellPaise);
    return okAnswer({
      current_price: rupees(rate.paise),
      ...(side === 'buy' && { applicable_tax: 3 }),
      rate_id: rate.id,
      rate_validity: timeText(new Date(rate.expiresAtMs)),
      ...(side === 'buy' && { spot_price: rupees(spotPaise) }),
    });
  };
  const misstate = overstateDecimal('current_price', 2);
  return [
    {
      name: 'buy-price',
      method: 'GET',
      path: '/v1/buy-price',
      handle: () => quote('buy'),
      misstate,
    },
    {
      name: 'sell-price',
      method: 'GET',
      path: '/v1/sell-price',
      handle: () => quote('sell'),
      misstate,
    },
  ];
};
