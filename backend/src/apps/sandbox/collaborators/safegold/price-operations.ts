import { okAnswer, type Operation } from '../../core/collaborator.ts';
import { moreBy } from './misstate.ts';
import type { SafegoldContext } from './safegold-context.ts';
import type { Side } from './safegold-store.ts';
import { rupees, timeText } from './safegold-wire.ts';

/** GET buy-price and sell-price: each call quotes a rate of its own, good for seven minutes. */
export const priceOperations = ({ store, prices }: SafegoldContext): readonly Operation[] => {
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
  const misstate = moreBy('current_price', 2);
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
