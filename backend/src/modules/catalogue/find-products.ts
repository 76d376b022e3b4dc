import type { Db } from '../../platform/db/index.ts';
import {
  listProducts,
  searchProducts,
  type PageBounds,
  type ProductPage,
} from './catalogue.store.ts';
import type { ProductFilter } from './catalogue.types.ts';
import { correctWords } from './correct-words.ts';

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
  const terms = await correctWords(db, q);
  if (terms === undefined) return { total: 0, products: [] };
  const all = await searchProducts(db, terms.all, filter, bounds);
  if (all.total > 0 || terms.all.meant === terms.any.meant) return all;
  return searchProducts(db, terms.any, filter, bounds);
};
