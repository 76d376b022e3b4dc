import { fromSafePaise } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { InTransaction, Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { adminActor, type ByOperator, adminAccess, anyAdmin } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import {
  type PriceOverride,
  overrideBody,
  presentProviderPrice,
  priceConfigBody,
  priceView,
} from './price.schemas.ts';
import { insertManualPrice } from './price.store.ts';
import { type FetchPrice, findSpreads, setSpreads, type SetSpreadsDeps } from './live-price.ts';

interface OverridePriceDeps {
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
  readonly random: Random;
  /** The clock of real time, by which every price is dated. */
  readonly wall: Clock;
}

/**
 * Records an operator's price and writes the audit row, in one transaction. The price is only
 * recorded, and customers never buy or sell at it (contract: price > Spread and override).
 */
const recordOverride = (
  { inTransaction, audit, random, wall }: OverridePriceDeps,
  { reason, ...prices }: PriceOverride,
  { principal, context }: ByOperator,
): Promise<void> =>
  inTransaction(async (tx) => {
    const id = random.uuid();
    await insertManualPrice(tx, {
      id,
      buyPaise: fromSafePaise(prices.buyPaise),
      sellPaise: fromSafePaise(prices.sellPaise),
      spotPaise: fromSafePaise(prices.spotPaise),
      actorId: principal.adminId,
      at: wall.now(),
    });
    await audit.record(tx, {
      action: 'price.override',
      ...adminActor(principal, context),
      target: { type: 'price_snapshot', id },
      after: prices,
      sealed: { after: { reason } },
    });
  });

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
    summary: 'Record a price. Not available yet',
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
    summary: "The provider's live price, without the spread",
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
