import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  defineRoute,
  idParams,
  offsetOf,
  PUBLIC,
  writtenOut,
  type Reply,
  type Route,
} from '../../platform/http/index.ts';
import { presentProduct, productPage, productQuery, productView } from './catalogue.schemas.ts';
import { findProduct } from './catalogue.store.ts';
import { findProductPage } from './find-products.ts';
import type { PageCache } from './page-cache.ts';

const publicRead = { tags: ['products'], access: PUBLIC } as const;

const requireReply = (reply: Reply | undefined): Reply => {
  if (reply === undefined) throw new AppError('NOT_FOUND');
  return reply;
};

/** Declares `/products` and `/products/:id` of the customer API, which are public. */
export const createCatalogueCustomerRoutes = ({
  db,
  pages,
}: {
  readonly db: Db;
  readonly pages: PageCache;
}): Route[] => [
  defineRoute({
    ...publicRead,
    method: 'GET',
    path: '/products',
    summary: 'List or search the products of the catalogue',
    query: productQuery,
    responses: { 200: productPage },
    handler: async ({ query: { page, limit, q = '', category } }) => {
      const key = JSON.stringify([page, limit, q, category]);
      return requireReply(
        await pages.reply(key, async (rates) => {
          const filter = { q, category, isActive: true };
          const bounds = { limit, offset: offsetOf({ page, limit }) };
          const { total, products } = await findProductPage(db, filter, bounds);
          const items = products.map((product) => presentProduct(product, rates));
          return writtenOut({ items, total, page, limit });
        }),
      );
    },
  }),
  defineRoute({
    ...publicRead,
    method: 'GET',
    path: '/products/:id',
    summary: 'One product',
    params: idParams,
    responses: { 200: productView },
    handler: async ({ params: { id } }) =>
      requireReply(
        await pages.reply(id, async (rates) => {
          const product = await findProduct(db, id);
          if (product?.isActive !== true) return undefined;
          return writtenOut(presentProduct(product, rates));
        }),
      ),
  }),
];
