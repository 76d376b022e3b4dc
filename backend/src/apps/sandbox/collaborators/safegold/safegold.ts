import type { Clock } from '../../../../platform/clock/clock.ts';
import { okAnswer, type Operation, type Call, type Collaborator } from '../../core/collaborator.ts';
import { overstateDecimal } from '../../core/wrong-amount.ts';
import { isSameSecret } from '../../core/credentials.ts';
import type { SafegoldStore, Side } from './safegold-store.ts';
import type { PriceSource } from './price-source.ts';
import { rupees, timeText } from './safegold.wire.ts';
import { confirmOperations } from './confirm-operations.ts';
import { userOperations } from './user-operations.ts';
import { verifyOperations } from './verify-operations.ts';

interface PriceDeps {
  readonly store: SafegoldStore;
  readonly prices: PriceSource;
}

/** Serves buy-price and sell-price. Each call quotes a separate rate, valid for seven minutes. */
const priceOperations = ({ store, prices }: PriceDeps): readonly Operation[] => {
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

interface SafegoldOptions {
  readonly store: SafegoldStore;
  readonly prices: PriceSource;
  /** The movable clock, by which rates and transactions age. */
  readonly clock: Clock;
  readonly enforcesKycLimits: boolean;
  readonly token: string;
}

const tokenOf = ({ headers, query }: Call): string =>
  /^Bearer (.+)$/u.exec(headers.authorization ?? '')?.[1] ?? query.get('session_token') ?? '';

/** Creates the gold provider SafeGold, as its public pages describe it. */
export const createSafegold = (options: SafegoldOptions): Collaborator => ({
  name: 'safegold',
  mountPath: '/safegold',
  operations: [
    ...priceOperations(options),
    ...userOperations(options.store),
    ...verifyOperations(options),
    ...confirmOperations(options),
  ],
  refuseUnauthenticated: (call) =>
    isSameSecret(tokenOf(call), options.token)
      ? undefined
      : { status: 401, body: { code: 401, message: 'Unauthorized' } },
  // SafeGold reports a failed confirm as a blank 200.
  errorBody: (status, message) => (status === 200 ? undefined : { code: 0, message }),
  store: options.store,
});
