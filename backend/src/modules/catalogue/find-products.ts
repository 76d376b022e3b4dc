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
 * Returns a page of the products that match a filter, newest first. A search returns the best match
 * first. It finds products with all its words, or, if there are none, products with any of them.
 */
export const findProductPage = async (
  db: Db,
  { q, category, ...otherFilters }: ProductFilter,
  bounds: PageBounds,
): Promise<ProductPage> => {
  // A field that a client left empty is no filter.
  const filter = category === '' ? otherFilters : { ...otherFilters, category };
  if (q === undefined || q.trim() === '') return listProducts(db, filter, bounds);
  const terms = await correctSpelling(db, q);
  if (terms === undefined) return { total: 0, products: [] };
  const strictPage = await searchProducts(db, terms.all, filter, bounds);
  if (strictPage.total > 0 || terms.all.corrected === terms.any.corrected) return strictPage;
  return searchProducts(db, terms.any, filter, bounds);
};

/**
 * Returns the products with these ids, including inactive ones, in no order. Unknown ids are left
 * out. An order prices its lines by this read, which takes no locks.
 */
export const findOrderableProducts = (
  db: Db,
  ids: readonly string[],
): Promise<OrderableProduct[]> => listProductsById(db, ids);

/**
 * Selects the ids of the products that have not changed since `findOrderableProducts` returned them,
 * and locks them in share until the transaction ends. The statement that inserts an order uses it,
 * and inserts the order only if it finds all products. So a concurrent change of a product either
 * commits first and is found, or waits until the order is written.
 */
export const lockUnchangedProductsSql = (
  products: readonly Pick<OrderableProduct, 'id' | 'version'>[],
): Sql => sql`
  SELECT p.id FROM product p
  JOIN unnest(${products.map(({ id }) => id)}::uuid[],
    ${products.map(({ version }) => version)}::text[]) AS read (id, version) ON read.id = p.id
  WHERE p.xmin::text = read.version
  ORDER BY p.id FOR SHARE OF p`;
