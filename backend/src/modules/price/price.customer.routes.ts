import type { Clock } from '../../platform/clock/clock.ts';
import { defineRoute, PUBLIC, shared, type Reply, type Route } from '../../platform/http/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Metrics } from '../../platform/observability/index.ts';
import type { LivePriceReader } from './live-price.ts';
import { createHistoryReplies } from './price-history.ts';
import { historyQuery, historyView, presentPrice, priceView } from './price.schemas.ts';
import type { LivePrice } from './price.types.ts';

/** Creates the function that serialises each price once, since many requests get the same price. */
const createPriceReplies = (): ((price: LivePrice) => Reply) => {
  let last: { readonly price: LivePrice; readonly reply: Reply } | undefined;
  return (price) => {
    if (last?.price !== price) last = { price, reply: shared(presentPrice(price)) };
    return last.reply;
  };
};

/** Declares `/price/current` and `/price/history`. */
export const createPriceCustomerRoutes = (options: {
  readonly live: LivePriceReader;
  readonly db: Db;
  readonly wall: Clock;
  readonly metrics?: Pick<Metrics, 'countHistory'>;
}): Route[] => {
  const { live } = options;
  const replyOf = createPriceReplies();
  const historyOf = createHistoryReplies(options);
  return [
    defineRoute({
      method: 'GET',
      path: '/price/current',
      summary: 'The live gold price, in paise per gram',
      tags: ['price'],
      access: PUBLIC,
      responses: { 200: priceView },
      errors: ['PRICE_UNAVAILABLE'],
      atHand: () => {
        const price = live.priceAtHand();
        return price === undefined ? undefined : replyOf(price);
      },
      handler: async () => replyOf(await live.livePrice()),
    }),
    defineRoute({
      method: 'GET',
      path: '/price/history',
      summary: 'Past prices over a range, newest first, at even intervals',
      tags: ['price'],
      access: PUBLIC,
      query: historyQuery,
      responses: { 200: historyView },
      handler: ({ query: { range } }) => historyOf(range),
    }),
  ];
};
