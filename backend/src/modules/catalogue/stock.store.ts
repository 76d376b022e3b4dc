import { execute, selectRows, sql, type Db } from '../../platform/db/index.ts';

/**
 * Locks the stock of these products until the transaction ends, in the order of their ids, and
 * returns the number of pieces of each. A product that is not counted has no entry. Call this before
 * you lock the products themselves.
 */
export const lockStock = async (
  tx: Db,
  productIds: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const rows = await selectRows<{ id: string; count: number }>(
    tx,
    sql`
      SELECT product_id::text AS id, count FROM product_stock
      WHERE product_id = ANY(${[...productIds]}::uuid[])
      ORDER BY product_id FOR UPDATE`,
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
};

/** Stores the number of pieces of a product. Null means that the pieces are not counted. */
export const updateStock = async (
  tx: Db,
  productId: string,
  count: number | null,
  at: Date,
): Promise<void> => {
  if (count === null) {
    await tx.productStock.deleteMany({ where: { productId } });
    return;
  }
  await execute(
    tx,
    sql`
      INSERT INTO product_stock (product_id, count, updated_at)
      VALUES (${productId}::uuid, ${count}::int, ${at}::timestamptz)
      ON CONFLICT (product_id) DO UPDATE SET count = EXCLUDED.count,
        updated_at = EXCLUDED.updated_at`,
  );
};
