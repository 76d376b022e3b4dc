import { addMs, type Clock } from '../../platform/clock/clock.ts';
import {
  defineRoute,
  ok,
  PUBLIC,
  shared,
  type Reply,
  type Route,
} from '../../platform/http/index.ts';
import { paise, toSafePaise } from '../../money/index.ts';
import type { LivePriceReader } from './live-price.ts';
import {
  historyQuery,
  historyView,
  presentPrice,
  priceView,
  type PriceRange,
} from './price.schemas.ts';
import type { HistoryRow, PriceStore } from './price.store.ts';
import { tickEveryMs, type LivePrice } from './price.types.ts';

const dayMs = 24 * 60 * 60_000;
const rangeMs: Readonly<Record<PriceRange, number>> = {
  '1d': dayMs,
  '1w': 7 * dayMs,
  '1m': 30 * dayMs,
  '1y': 365 * dayMs,
};

/** The most rows that `GET /price/history` answers (interface, Limits). */
export const maxHistoryRows = 5000;

const presentRow = (row: HistoryRow) => ({
  buyPaise: toSafePaise(paise(row.buy_paise)),
  sellPaise: toSafePaise(paise(row.sell_paise)),
  spotPaise: toSafePaise(paise(row.spot_paise)),
  at: row.as_of.toISOString(),
});

/** A price is shown many times before the next one comes: it is written out once. */
const createPriceReplies = (): ((price: LivePrice) => Reply) => {
  let last: { readonly price: LivePrice; readonly reply: Reply } | undefined;
  return (price) => {
    if (last?.price !== price) last = { price, reply: shared(presentPrice(price)) };
    return last.reply;
  };
};

/** `GET /price/current`, `GET /price/history`. */
export const createPriceCustomerRoutes = (options: {
  readonly live: LivePriceReader;
  readonly store: PriceStore;
  readonly wall: Clock;
}): Route[] => {
  const { live, store, wall } = options;
  const replyOf = createPriceReplies();
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
      summary: 'Past prices over a whole range, newest first, thinned evenly',
      tags: ['price'],
      access: PUBLIC,
      query: historyQuery,
      responses: { 200: historyView },
      handler: async ({ query }) => {
        const spanMs = rangeMs[query.range];
        const stepMs = Math.max(tickEveryMs, Math.ceil(spanMs / maxHistoryRows));
        const from = addMs(wall.now(), -spanMs);
        const rows = await store.history(from, stepMs, Math.ceil(spanMs / stepMs));
        return ok({ range: query.range, items: rows.map(presentRow) });
      },
    }),
  ];
};
