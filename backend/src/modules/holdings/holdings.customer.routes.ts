import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, ok, type Route } from '../../platform/http/index.ts';
import { customerAccess } from '../identity/index.ts';
import type { LivePriceReader } from '../price/index.ts';
import {
  passbookView,
  portfolioView,
  presentHolding,
  presentPortfolio,
} from './holdings.schemas.ts';
import { readHolding } from './holdings.store.ts';
import type { PortfolioCache } from './portfolio-cache.ts';

/** Declares `/portfolio`, `/portfolio/passbook` and `/portfolio/statement`. */
export const createHoldingCustomerRoutes = (options: {
  readonly db: Db;
  readonly portfolios: Pick<PortfolioCache, 'read'>;
  readonly price: Pick<LivePriceReader, 'livePrice'>;
}): Route[] => {
  const { db, portfolios, price } = options;
  const compute = async (userId: string) => {
    // The price is read first, because it may take a call. The holding is then as recent as possible.
    const live = await price.livePrice();
    return presentPortfolio(await readHolding(db, userId), live);
  };
  return [
    defineRoute({
      method: 'GET',
      path: '/portfolio',
      summary: 'The holding, and its value at the live sell price',
      tags: ['portfolio'],
      access: customerAccess,
      responses: { 200: portfolioView },
      errors: ['PRICE_UNAVAILABLE'],
      handler: async ({ principal }) =>
        ok(await portfolios.read(principal.userId, () => compute(principal.userId))),
    }),
    defineRoute({
      method: 'GET',
      path: '/portfolio/passbook',
      summary: 'The holding. Ledger entries are not available yet',
      tags: ['portfolio'],
      access: customerAccess,
      responses: { 200: passbookView },
      handler: async ({ principal }) => {
        const holding = presentHolding(await readHolding(db, principal.userId));
        return ok({ holding, entries_available: false, entries: [] });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/portfolio/statement',
      summary: 'A statement of the holding. Not available yet',
      tags: ['portfolio'],
      access: customerAccess,
      responses: {},
      errors: ['NOT_IMPLEMENTED'],
      handler: async () => {
        throw new AppError('NOT_IMPLEMENTED');
      },
    }),
  ];
};
