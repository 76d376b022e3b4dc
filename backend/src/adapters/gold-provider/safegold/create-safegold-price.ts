import { meanPrice, type Paise } from '../../../money/index.ts';
import { addMs, type Clock } from '../../../platform/clock/clock.ts';
import { UNREADABLE } from '../../../platform/http-client/index.ts';
import { done, unknown } from '../../../platform/outcome/outcome.ts';
import type { GoldProvider } from '../port.ts';
import type { SafegoldCalls } from './create-safegold-calls.ts';
import { paths, rateValidityMs } from './safegold.facts.ts';
import { buyPriceAnswer, sellPriceAnswer, spotPrice } from './safegold.schemas.ts';

/** Reads the named field of the buy price; the mean where none is named; undefined if unreadable. */
const spotOf = (
  spotField: string | undefined,
  buyAnswer: object,
  buy: Paise,
  sell: Paise,
): Paise | undefined => {
  if (spotField === undefined) return meanPrice(buy, sell);
  const field: unknown = Reflect.get(buyAnswer, spotField);
  return spotPrice.safeParse(field).data;
};

/** Fetches both rates at once; without both there is no price. */
export const createSafegoldPrice =
  ({ call }: SafegoldCalls, clock: Clock, spotField: string | undefined): GoldProvider['price'] =>
  async () => {
    const validUntil = addMs(clock.now(), rateValidityMs);
    const [buying, selling] = await Promise.all([
      call({ operation: 'buy-price', path: paths.buyPrice, answer: buyPriceAnswer }),
      call({ operation: 'sell-price', path: paths.sellPrice, answer: sellPriceAnswer }),
    ]);
    if (buying.kind !== 'done') return buying;
    if (selling.kind !== 'done') return selling;
    const { value: buy } = buying;
    const { value: sell } = selling;
    const spotPaise = spotOf(spotField, buy, buy.current_price, sell.current_price);
    if (spotPaise === undefined) return unknown(UNREADABLE);
    return done({
      buyPaise: buy.current_price,
      sellPaise: sell.current_price,
      spotPaise,
      buyTaxBps: buy.applicable_tax,
      buyRateId: buy.rate_id,
      sellRateId: sell.rate_id,
      validUntil,
    });
  };
