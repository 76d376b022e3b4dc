import {
  bps,
  gramsFromDatabase,
  gramsToDatabase,
  paise,
  toSafeBps,
  type DatabaseDecimal,
} from '../../money/index.ts';
import {
  execute,
  joinSql,
  noSql,
  selectOne,
  selectRows,
  sql,
  type Db,
  type Sql,
} from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import {
  pricingModes,
  type PricingMode,
  type Product,
  type ProductContent,
  type ProductFilter,
} from './catalogue.types.ts';

/*
 * Products are read by raw SQL, because their version is a system column, and the list is one of
 * the most frequent reads of the service.
 */

interface ProductRow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly category: string;
  readonly pricing_mode: string;
  readonly purity_karat: number;
  readonly weight_grams: DatabaseDecimal;
  readonly making_charge_bps: number;
  readonly discount_bps: number;
  readonly price_paise: bigint;
  readonly rate_per_gram_paise: bigint | null;
  readonly is_active: boolean;
  readonly in_stock: boolean;
  readonly stock: number | null;
  readonly image_key: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly version: string;
}

const columns = sql`
  p.id::text AS id, p.name, p.description, p.category, p.pricing_mode, p.purity_karat,
  p.weight_grams, p.making_charge_bps, p.discount_bps, p.price_paise, p.rate_per_gram_paise,
  p.is_active, p.in_stock, p.image_key, p.created_at, p.updated_at, p.xmin::text AS version,
  (SELECT s.count FROM product_stock s WHERE s.product_id = p.id) AS stock`;

const toPricingMode = (text: string): PricingMode => {
  const mode = pricingModes.find((known) => known === text);
  invariant(mode !== undefined, 'a product has a known pricing mode');
  return mode;
};

const toProduct = (row: ProductRow): Product => ({
  id: row.id,
  name: row.name,
  description: row.description,
  category: row.category,
  pricingMode: toPricingMode(row.pricing_mode),
  purityKarat: row.purity_karat,
  weightGrams: gramsFromDatabase(row.weight_grams),
  makingChargeBps: bps(BigInt(row.making_charge_bps)),
  discountBps: bps(BigInt(row.discount_bps)),
  pricePaise: paise(row.price_paise),
  ratePerGramPaise: row.rate_per_gram_paise === null ? null : paise(row.rate_per_gram_paise),
  isActive: row.is_active,
  inStock: row.in_stock,
  stock: row.stock,
  imageKey: row.image_key,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  version: row.version,
});

/** Returns a product, which may be inactive, or undefined if there is none. */
export const findProduct = async (db: Db, id: string): Promise<Product | undefined> => {
  const row = await selectOne<ProductRow>(
    db,
    sql`SELECT ${columns} FROM product p WHERE id = ${id}::uuid`,
  );
  return row && toProduct(row);
};

/** Locks a product until the transaction ends and returns it. Returns undefined if there is none. */
export const lockProduct = async (tx: Db, id: string): Promise<Product | undefined> => {
  const row = await selectOne<ProductRow>(
    tx,
    sql`SELECT ${columns} FROM product p WHERE id = ${id}::uuid FOR NO KEY UPDATE`,
  );
  return row && toProduct(row);
};

/** Returns the products with these ids, including inactive ones, in no order. */
export const listProductsById = async (db: Db, ids: readonly string[]): Promise<Product[]> => {
  const rows = await selectRows<ProductRow>(
    db,
    sql`SELECT ${columns} FROM product p WHERE id = ANY(${[...ids]}::uuid[])`,
  );
  return rows.map(toProduct);
};

const conditionsOf = (filter: ProductFilter): Sql[] => {
  const { category, isActive, pricingMode, inStock } = filter;
  return [
    // The condition is no parameter, so that the partial indexes of active products apply.
    ...(isActive === undefined ? [] : [isActive ? sql`p.is_active` : sql`NOT p.is_active`]),
    ...(category === undefined ? [] : [sql`lower(p.category) = lower(${category})`]),
    ...(pricingMode === undefined ? [] : [sql`p.pricing_mode = ${pricingMode}`]),
    ...(inStock === undefined ? [] : [sql`p.in_stock = ${inStock}::boolean`]),
  ];
};

const whereOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? noSql : sql`WHERE ${joinSql(conditions, ' AND ')}`;

export interface ProductPage {
  readonly total: number;
  readonly products: readonly Product[];
}

type PageRow = ProductRow & { readonly total: number };

/** Reads the rows of a page. A page beyond the last one has a single row without a product. */
const toPage = (rows: readonly PageRow[]): ProductPage => ({
  total: rows[0]?.total ?? 0,
  products: rows.filter(({ id }) => id !== null).map(toProduct),
});

export interface PageBounds {
  readonly limit: number;
  readonly offset: number;
}

/** Selects a page of the products that match a filter, newest first, and their total. */
export const listSql = (filter: Omit<ProductFilter, 'q'>, { limit, offset }: PageBounds): Sql => {
  const where = whereOf(conditionsOf(filter));
  return sql`
    SELECT counted.total, ${columns}
    FROM (SELECT count(*)::int AS total FROM product p ${where}) AS counted
    LEFT JOIN LATERAL (
      SELECT *, xmin FROM product p ${where}
      ORDER BY created_at DESC, id DESC LIMIT ${limit}::int OFFSET ${offset}::int
    ) AS p ON true
    ORDER BY p.created_at DESC, p.id DESC`;
};

/** Returns a page of the products that match a filter, newest first. */
export const listProducts = async (
  db: Db,
  filter: Omit<ProductFilter, 'q'>,
  bounds: PageBounds,
): Promise<ProductPage> => toPage(await selectRows<PageRow>(db, listSql(filter, bounds)));

/** A search as text of PostgreSQL's `to_tsquery`. Matches of the typed words rank higher. */
export interface SearchTerms {
  /** The typed words with their corrections. */
  readonly corrected: string;
  readonly typed: string;
}

/** Selects a page of the products that match a search and a filter, best match first. */
export const searchSql = (
  { corrected, typed }: SearchTerms,
  filter: Omit<ProductFilter, 'q'>,
  { limit, offset }: PageBounds,
): Sql => {
  const where = whereOf([
    sql`p.search @@ to_tsquery('english', ${corrected})`,
    ...conditionsOf(filter),
  ]);
  return sql`
    WITH hit AS MATERIALIZED (
      SELECT p.id, p.created_at, ts_rank(p.search, to_tsquery('english', ${corrected}))
        + ts_rank(p.search, to_tsquery('english', ${typed})) AS rank
      FROM product p ${where}
    )
    SELECT counted.total, ${columns}
    FROM (SELECT count(*)::int AS total FROM hit) AS counted
    LEFT JOIN (
      SELECT id, rank FROM hit
      ORDER BY rank DESC, created_at DESC, id DESC LIMIT ${limit}::int OFFSET ${offset}::int
    ) AS found ON true
    LEFT JOIN product p ON p.id = found.id
    ORDER BY found.rank DESC, p.created_at DESC, p.id DESC`;
};

/** Returns a page of the products that match a search and a filter, best match first. */
export const searchProducts = async (
  db: Db,
  terms: SearchTerms,
  filter: Omit<ProductFilter, 'q'>,
  bounds: PageBounds,
): Promise<ProductPage> => toPage(await selectRows<PageRow>(db, searchSql(terms, filter, bounds)));

/**
 * Returns the number that every change of a product raises. This read is raw SQL, since every list
 * of products makes it.
 */
export const findCatalogueVersion = async (db: Db): Promise<bigint> => {
  const row = await selectOne<{ version: bigint }>(
    db,
    sql`SELECT version FROM catalogue_version WHERE id = 1`,
  );
  return row?.version ?? 0n;
};

const toData = (content: ProductContent) => {
  const { makingChargeBps, discountBps, weightGrams, ...unchanged } = content;
  return {
    ...unchanged,
    weightGrams: gramsToDatabase(weightGrams),
    makingChargeBps: toSafeBps(makingChargeBps),
    discountBps: toSafeBps(discountBps),
  };
};

/** Inserts a product. The price of a DYNAMIC product was computed at `at`. */
export const insertProduct = async (
  tx: Db,
  id: string,
  content: ProductContent,
  at: Date,
): Promise<void> => {
  const computedAt = content.pricingMode === 'DYNAMIC' ? at : null;
  await tx.product.create({
    data: { id, ...toData(content), priceComputedAt: computedAt, createdAt: at, updatedAt: at },
    select: { id: true },
  });
};

/**
 * Replaces the content of a locked product. `computedAt` is the time at which its price was
 * computed, null for a FIXED product, or undefined if the price was not computed.
 */
export const updateProduct = async (
  tx: Db,
  id: string,
  content: ProductContent,
  { at, computedAt }: { readonly at: Date; readonly computedAt: Date | null | undefined },
): Promise<void> => {
  await tx.product.update({
    where: { id },
    data: {
      ...toData(content),
      ...(computedAt !== undefined && { priceComputedAt: computedAt }),
      updatedAt: at,
    },
    select: { id: true },
  });
};

/** Removes a product from the catalogue. Its row stays, since orders refer to it. */
export const markProductInactive = async (tx: Db, id: string, at: Date): Promise<void> => {
  await tx.product.update({
    where: { id },
    data: { isActive: false, updatedAt: at },
    select: { id: true },
  });
};

const isStale = (before: Date) => sql`is_active AND pricing_mode = 'DYNAMIC'
  AND (price_computed_at IS NULL OR price_computed_at < ${before}::timestamptz)`;

/** Lists DYNAMIC products whose price was computed before `before`, by id and later than `after`. */
export const listStalePrices = async (
  db: Db,
  before: Date,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<string[]> => {
  const isAfter = after === undefined ? noSql : sql`AND id > ${after}::uuid`;
  const rows = await selectRows<{ id: string }>(
    db,
    sql`
      SELECT id FROM product WHERE ${isStale(before)} ${isAfter}
      ORDER BY id LIMIT ${limit}::int`,
  );
  return rows.map(({ id }) => id);
};

/**
 * Locks those of the products whose price was computed before `before`, and returns them. Skips
 * products that another transaction has locked.
 */
export const lockStalePrices = async (
  tx: Db,
  before: Date,
  ids: readonly string[],
): Promise<Product[]> => {
  const rows = await selectRows<ProductRow>(
    tx,
    sql`
      SELECT ${columns} FROM product p WHERE id = ANY (${ids}::uuid[]) AND ${isStale(before)}
      ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`,
  );
  return rows.map(toProduct);
};

/** Stores recomputed prices of locked products, in one statement. */
export const updatePrices = (
  tx: Db,
  prices: readonly {
    readonly id: string;
    readonly pricePaise: bigint;
    readonly ratePerGramPaise: bigint;
  }[],
  at: Date,
): Promise<number> =>
  execute(
    tx,
    sql`
      UPDATE product SET price_paise = fresh.price, rate_per_gram_paise = fresh.rate,
        price_computed_at = ${at}::timestamptz
      FROM unnest(
        ${prices.map(({ id }) => id)}::uuid[],
        ${prices.map(({ pricePaise }) => pricePaise)}::bigint[],
        ${prices.map(({ ratePerGramPaise }) => ratePerGramPaise)}::bigint[]
      ) AS fresh (id, price, rate)
      WHERE product.id = fresh.id`,
  );
