import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess, anyAdmin } from '../admins/index.ts';
import { type FetchPrice, findSpreads, setSpreads, type SetSpreadsDeps } from './live-price.ts';
import { recordOverride, type OverridePriceDeps } from './override-price.ts';
import { overrideBody, presentProviderPrice, priceConfigBody, priceView } from './price.schemas.ts';

const tags = ['price'];

/** Declares `/price` of the admin API: the spreads, the override, and the provider's own price. */
export const createPriceAdminRoutes = (
  options: SetSpreadsDeps &
    OverridePriceDeps & { readonly db: Db; readonly fetchPrice: FetchPrice },
): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/price/config',
    summary: "The spread on the provider's price, in basis points",
    tags,
    access: adminAccess('SUPER_ADMIN', 'ADMIN'),
    responses: { 200: priceConfigBody },
    handler: async () => ok(await findSpreads(options.db)),
  }),
  defineRoute({
    method: 'POST',
    path: '/price/config',
    summary: 'Set the spread',
    tags,
    access: adminAccess('SUPER_ADMIN'),
    body: priceConfigBody,
    responses: { 200: priceConfigBody },
    handler: async ({ body, principal, context }) => {
      await setSpreads(options, body, { principal, context });
      return ok(body);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/price/override',
    summary: 'Record a price that is never used; answers 501',
    tags,
    access: adminAccess('SUPER_ADMIN'),
    body: overrideBody,
    responses: {},
    errors: ['NOT_IMPLEMENTED'],
    handler: async ({ body, principal, context }) => {
      await recordOverride(options, body, { principal, context });
      throw new AppError('NOT_IMPLEMENTED');
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/price/live',
    summary: "The provider's live price, without our spread",
    tags,
    access: anyAdmin,
    responses: { 200: priceView },
    errors: ['PRICE_UNAVAILABLE'],
    handler: async () => {
      const outcome = await options.fetchPrice();
      if (outcome.kind !== 'done') throw new AppError('PRICE_UNAVAILABLE', { cause: outcome });
      return ok(presentProviderPrice(outcome.value));
    },
  }),
];
