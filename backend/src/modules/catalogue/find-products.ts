import { type Db, sql, type Sql } from '../../platform/db/index.ts';
import {
  listProducts,
  searchProducts,
  type PageBounds,
  type ProductPage,
  listProductsById,
} from './catalogue.store.ts';
import type { ProductFilter, OrderableProduct } from './catalogue.types.ts';
import { correctSpelling } from './correct-spelling.ts';

/**
 * Returns a page of the products of a filter: the newest first, or for a search the best match
 * first. A search finds what has all of its words, and where nothing has, what has any of them.
 */
export const findProductPage = async (
  db: Db,
  { q, category, ...others }: ProductFilter,
  bounds: PageBounds,
): Promise<ProductPage> => {
  // A field that was left empty narrows nothing.
  const filter = category === '' ? others : { ...others, category };
  if (q === undefined || q.trim() === '') return listProducts(db, filter, bounds);
  const terms = await correctSpelling(db, q);
  if (terms === undefined) return { total: 0, products: [] };
  const all = await searchProducts(db, terms.all, filter, bounds);
  if (all.total > 0 || terms.all.meant === terms.any.meant) return all;
  return searchProducts(db, terms.any, filter, bounds);
};

/**
 * Returns the products of these ids, active or not, in no order. Ids of no product are left out. In
 * one plain read, without locks: what an order needs to price its lines.
 */
export const findOrderableProducts = (
  db: Db,
  ids: readonly string[],
): Promise<OrderableProduct[]> => listProductsById(db, ids);

/**
 * Selects the ids of those products that are still as `findOrderableProducts` returned them, and
 * locks them in share until the transaction ends: part of a statement that writes an order only
 * while it finds all of them. So a product that is deactivated or repriced in between is either
 * waited for and found changed, or waits until the order is written.
 */
export const selectUnchangedProducts = (
  products: readonly Pick<OrderableProduct, 'id' | 'version'>[],
): Sql => sql`
  SELECT p.id FROM product p
  JOIN unnest(${products.map(({ id }) => id)}::uuid[],
    ${products.map(({ version }) => version)}::text[]) AS read (id, version) ON read.id = p.id
  WHERE p.xmin::text = read.version
  ORDER BY p.id FOR SHARE OF p`;
