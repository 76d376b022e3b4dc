import type { Clock } from '../../platform/clock/clock.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess, adminActor } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { priceConfigBody } from './price.schemas.ts';
import { createPriceStore, type PriceStore } from './price.store.ts';

/** `/price/config`: the spreads. A change holds from the next time the provider is asked. */
export const createPriceAdminRoutes = (options: {
  readonly store: PriceStore;
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
  readonly clock: Clock;
}): Route[] => {
  const { store, inTransaction, audit, clock } = options;
  return [
    defineRoute({
      method: 'GET',
      path: '/price/config',
      summary: "The spread on the provider's price, in basis points",
      tags: ['price'],
      access: adminAccess('SUPER_ADMIN', 'ADMIN'),
      responses: { 200: priceConfigBody },
      handler: async () => ok(await store.spreads()),
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
        await inTransaction(async (db) => {
          const inside = createPriceStore(db);
          await inside.lockSpreads();
          const before = { ...(await inside.spreads()) };
          await inside.setSpreads(body, principal.adminId, clock.now());
          await audit.record(db, {
            action: 'price.config.set',
            ...adminActor(principal, context),
            target: { type: 'price_config', id: 'spread' },
            before,
            after: body,
          });
        });
        return ok(body);
      },
    }),
  ];
};
