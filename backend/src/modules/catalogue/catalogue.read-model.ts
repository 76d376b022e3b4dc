import { bps, gramsFromDatabase, paise, type DatabaseDecimal } from '../../money/index.ts';
import { selectRows, sql, type Db } from '../../platform/db/index.ts';
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
        discount_bps, price_paise, is_active, in_stock
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
  }));
};
