import { AppError } from '../../platform/errors/app-error.ts';
import {
  created,
  defineRoute,
  idParams,
  noContent,
  offsetOf,
  ok,
  type Route,
} from '../../platform/http/index.ts';
import { adminAccess, anyAdmin } from '../admins/index.ts';
import {
  adminProductPage,
  adminProductQuery,
  adminProductView,
  createProductBody,
  presentAdminProduct,
  updateProductBody,
} from './catalogue.schemas.ts';
import { findProduct } from './catalogue.store.ts';
import { findProductPage } from './find-products.ts';
import {
  changeProduct,
  createProduct,
  deactivateProduct,
  type SaveProductDeps,
} from './save-product.ts';

const reads = { tags: ['products'], access: anyAdmin } as const;
const writes = { tags: ['products'], access: adminAccess('SUPER_ADMIN', 'ADMIN') } as const;

const createProductReads = ({ db, readRates }: SaveProductDeps): Route[] => [
  defineRoute({
    ...reads,
    method: 'GET',
    path: '/products',
    summary: 'All products, including inactive products',
    query: adminProductQuery,
    responses: { 200: adminProductPage },
    handler: async ({ query: { page, limit, active, ...filter } }) => {
      const bounds = { limit, offset: offsetOf({ page, limit }) };
      const rates = await readRates();
      const productPage = await findProductPage(db, { ...filter, isActive: active }, bounds);
      const items = productPage.products.map((product) => presentAdminProduct(product, rates));
      return ok({ items, total: productPage.total, page, limit });
    },
  }),
  defineRoute({
    ...reads,
    method: 'GET',
    path: '/products/:id',
    summary: 'One product, which may be inactive',
    params: idParams,
    responses: { 200: adminProductView },
    handler: async ({ params: { id } }) => {
      const product = await findProduct(db, id);
      if (product === undefined) throw new AppError('NOT_FOUND');
      return ok(presentAdminProduct(product, await readRates()));
    },
  }),
];

const createProductWrites = (deps: SaveProductDeps): Route[] => [
  defineRoute({
    ...writes,
    method: 'POST',
    path: '/products',
    summary: 'Create a product',
    body: createProductBody,
    responses: { 201: adminProductView },
    errors: ['SERVICE_UNAVAILABLE'],
    handler: async ({ body, principal, context }) => {
      const product = await createProduct(deps, body, { principal, context });
      return created(presentAdminProduct(product, await deps.readRates()));
    },
  }),
  defineRoute({
    ...writes,
    method: 'PATCH',
    path: '/products/:id',
    summary: 'Change the given fields of a product',
    params: idParams,
    body: updateProductBody,
    responses: { 200: adminProductView },
    errors: ['SERVICE_UNAVAILABLE'],
    handler: async ({ params: { id }, body, principal, context }) => {
      const product = await changeProduct(deps, id, body, { principal, context });
      return ok(presentAdminProduct(product, await deps.readRates()));
    },
  }),
  defineRoute({
    ...writes,
    method: 'DELETE',
    path: '/products/:id',
    summary: 'Remove a product from the catalogue. Existing orders keep it',
    params: idParams,
    responses: { 204: null },
    handler: async ({ params: { id }, principal, context }) => {
      await deactivateProduct(deps, id, { principal, context });
      return noContent();
    },
  }),
];

/**
 * Declares `/products` of the admin API, except for the images (contract: jewellery > Product
 * administration).
 */
export const createCatalogueAdminRoutes = (deps: SaveProductDeps): Route[] => [
  ...createProductReads(deps),
  ...createProductWrites(deps),
];
