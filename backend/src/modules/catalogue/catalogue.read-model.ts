import { bps, gramsFromDatabase, paise, type DatabaseDecimal } from '../../money/index.ts';
import { selectRows, sql, type Db, type Sql } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { pricingModes, type OrderableProduct, type PricingMode } from './catalogue.types.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly pricing_mode: string;
  readonly purity_karat: number;
  readonly weight_grams: DatabaseDecimal;
  readonly making_charge_bps: number;
  readonly discount_bps: number;
  readonly price_paise: bigint;
  readonly is_active: boolean;
  readonly in_stock: boolean;
  readonly version: string;
}

/** Reads a stored pricing mode. */
export const toPricingMode = (text: string): PricingMode => {
  const mode = pricingModes.find((one) => one === text);
  invariant(mode !== undefined, 'a product has a known pricing mode');
  return mode;
};

/**
 * Returns the products of these ids, active or not, in no order; ids of no product are left out.
 * In one plain read, without locks: what an order needs to price its lines.
 */
export const findOrderableProducts = async (
  db: Db,
  ids: readonly string[],
): Promise<OrderableProduct[]> => {
  const rows = await selectRows<Row>(
    db,
    sql`
      SELECT id::text AS id, name, pricing_mode, purity_karat, weight_grams, making_charge_bps,
        discount_bps, price_paise, is_active, in_stock, xmin::text AS version
      FROM product WHERE id = ANY(${[...ids]}::uuid[])`,
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    pricingMode: toPricingMode(row.pricing_mode),
    purityKarat: row.purity_karat,
    weightGrams: gramsFromDatabase(row.weight_grams),
    makingChargeBps: bps(BigInt(row.making_charge_bps)),
    discountBps: bps(BigInt(row.discount_bps)),
    pricePaise: paise(row.price_paise),
    isActive: row.is_active,
    inStock: row.in_stock,
    version: row.version,
  }));
};

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
