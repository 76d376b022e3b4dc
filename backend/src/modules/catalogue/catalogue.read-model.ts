import { sql, type Db, type Sql } from '../../platform/db/index.ts';
import { findProducts } from './catalogue.store.ts';
import type { OrderableProduct } from './catalogue.types.ts';

/**
 * Returns the products of these ids, active or not, in no order; ids of no product are left out.
 * In one plain read, without locks: what an order needs to price its lines.
 */
export const findOrderableProducts = (
  db: Db,
  ids: readonly string[],
): Promise<OrderableProduct[]> => findProducts(db, ids);

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
