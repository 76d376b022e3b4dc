import type { Db } from '../../platform/db/index.ts';
import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess } from '../admins/index.ts';
import { priceConfigBody } from './price.schemas.ts';
import { findSpreads, setSpreads, type SetSpreadsDeps } from './spreads.ts';

/** Declares `/price/config`: the spreads. A change applies from the next fetched price on. */
export const createPriceAdminRoutes = (options: SetSpreadsDeps & { readonly db: Db }): Route[] => {
  return [
    defineRoute({
      method: 'GET',
      path: '/price/config',
      summary: "The spread on the provider's price, in basis points",
      tags: ['price'],
      access: adminAccess('SUPER_ADMIN', 'ADMIN'),
      responses: { 200: priceConfigBody },
      handler: async () => ok(await findSpreads(options.db)),
    }),
    defineRoute({
      method: 'POST',
      path: '/price/config',
      summary: 'Set the spread',
      tags: ['price'],
      access: adminAccess('SUPER_ADMIN'),
      body: priceConfigBody,
      responses: { 200: priceConfigBody },
      handler: async ({ body, principal, context }) => {
        await setSpreads(options, body, { principal, context });
        return ok(body);
      },
    }),
  ];
};
