import { AppError } from '../../platform/errors/app-error.ts';
import { created, defineRoute, idParams, ok, pageQuery } from '../../platform/http/index.ts';
import type { Page, Route } from '../../platform/http/index.ts';
import { customerAccess } from '../identity/index.ts';
import { createGoldOrderStore, type OrderFilter } from './gold-order.store.ts';
import {
  buyQuoteView,
  goldOrderPage,
  goldOrderView,
  ordersQuery,
  quoteBody,
  quoteView,
} from './gold.schemas.ts';
import { presentOrder, presentQuote, presentSellQuote } from './present-gold.ts';
import {
  type DraftQuote,
  type GoldBase,
  createGoldQuoteStore,
  createSellQuoteStore,
} from '../quotes/index.ts';

const quoteErrors = [
  'KYC_REQUIRED',
  'LIMIT_EXCEEDED',
  'AMOUNT_TOO_SMALL',
  'PRICE_UNAVAILABLE',
  'PROVIDER_UNAVAILABLE',
  'PROVIDER_REFUSED',
  'PROVIDER_MISMATCH',
] as const;

/** `/gold/quote`, `/gold/orders`, `/portfolio/history`. */
export const createGoldCustomerRoutes = (
  deps: GoldBase & { readonly draftQuote: DraftQuote },
): Route[] => {
  const { db, clock, draftQuote } = deps;

  const listOwn = async (filter: OrderFilter & { userId: string }, page: Page) => {
    const { rows, total } = await createGoldOrderStore(db).list(filter, page);
    return ok({ items: rows.map(presentOrder), total, ...page });
  };

  return [
    defineRoute({
      method: 'POST',
      path: '/gold/quote',
      summary: 'Quote a buy; the price is locked at the provider',
      tags: ['gold'],
      access: customerAccess,
      body: quoteBody,
      responses: { 201: buyQuoteView },
      errors: quoteErrors,
      handler: async ({ body, principal }) => {
        const quote = await draftQuote(principal.userId, body);
        await createGoldQuoteStore(db).insert(quote);
        return created(presentQuote(quote, clock.now()));
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/gold/quote/:id',
      summary: 'One quote',
      tags: ['gold'],
      access: customerAccess,
      params: idParams,
      responses: { 200: quoteView },
      handler: async ({ params, principal }) => {
        const now = clock.now();
        const buy = await createGoldQuoteStore(db).findOwn(params.id, principal.userId);
        if (buy !== undefined) return ok(presentQuote(buy, now));
        const sell = await createSellQuoteStore(db).findOwn(params.id, principal.userId);
        if (sell !== undefined) return ok(presentSellQuote(sell, now));
        throw new AppError('NOT_FOUND');
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/gold/orders',
      summary: "The customer's gold orders, newest first",
      tags: ['gold'],
      access: customerAccess,
      query: ordersQuery,
      responses: { 200: goldOrderPage },
      handler: async ({ query: { page, limit, ...filter }, principal: { userId } }) =>
        listOwn({ ...filter, userId }, { page, limit }),
    }),
    defineRoute({
      method: 'GET',
      path: '/gold/orders/:id',
      summary: 'One gold order',
      tags: ['gold'],
      access: customerAccess,
      params: idParams,
      responses: { 200: goldOrderView },
      handler: async ({ params, principal }) => {
        const order = await createGoldOrderStore(db).find(params.id);
        if (order?.userId !== principal.userId) throw new AppError('NOT_FOUND');
        return ok(presentOrder(order));
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/portfolio/history',
      summary: "The history of the customer's gold, newest first",
      tags: ['portfolio'],
      access: customerAccess,
      query: pageQuery,
      responses: { 200: goldOrderPage },
      handler: async ({ query, principal: { userId } }) => listOwn({ userId }, query),
    }),
  ];
};
