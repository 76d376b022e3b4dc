import type { Prisma } from '../../generated/prisma/client.ts';
import {
  decimalFromDatabase,
  fromSafeBps,
  gramsFromDatabase,
  gramsToDatabase,
  paise,
} from '../../money/index.ts';
import { execute, selectOne, sql, sqlColumns, type Db, type Sql } from '../../platform/db/index.ts';
import type { GoldUnit } from '../orders/index.ts';
import type { BuyQuote, QuoteStatus, SellQuote } from './quotes.types.ts';

/** The columns of both kinds of quotes. */
const commonColumns = {
  id: true,
  userId: true,
  status: true,
  unit: true,
  requestedAmount: true,
  grams: true,
  pricePerGramPaise: true,
  provider: true,
  providerRateId: true,
  expiresAt: true,
  createdAt: true,
} satisfies Prisma.GoldQuoteSelect;

const buyColumns = {
  ...commonColumns,
  goldValuePaise: true,
  gstPaise: true,
  gstRateBps: true,
  totalPaise: true,
  roundingPaise: true,
  providerTxId: true,
  providerAmountPaise: true,
  lockStartedAt: true,
  lockEndsAt: true,
} satisfies Prisma.GoldQuoteSelect;

const sellColumns = {
  ...commonColumns,
  proceedsPaise: true,
  withheldPaise: true,
  providerPricePaise: true,
} satisfies Prisma.GoldQuoteSelect;

type CommonRow = Prisma.GoldQuoteGetPayload<{ select: typeof commonColumns }>;
type BuyRow = Prisma.GoldQuoteGetPayload<{ select: typeof buyColumns }>;
type SellRow = Prisma.GoldQuoteGetPayload<{ select: typeof sellColumns }>;

/** A row whose selected columns are never null, because its kind of quote always has them. */
type Filled<Row> = { readonly [Name in keyof Row]: NonNullable<Row[Name]> };

const toCommon = (row: Filled<CommonRow>) => ({
  id: row.id,
  userId: row.userId,
  // Check constraints guarantee the values of both columns.
  status: row.status as QuoteStatus,
  unit: row.unit as GoldUnit,
  requested: decimalFromDatabase(row.requestedAmount),
  grams: gramsFromDatabase(row.grams),
  pricePerGramPaise: paise(row.pricePerGramPaise),
  provider: row.provider,
  providerRateId: row.providerRateId,
  expiresAt: row.expiresAt,
  createdAt: row.createdAt,
});

const toBuyQuote = (row: Filled<BuyRow>): BuyQuote => ({
  ...toCommon(row),
  goldValuePaise: paise(row.goldValuePaise),
  gstPaise: paise(row.gstPaise),
  gstRateBps: fromSafeBps(row.gstRateBps),
  totalPaise: paise(row.totalPaise),
  roundingPaise: paise(row.roundingPaise),
  providerTxId: row.providerTxId,
  providerAmountPaise: paise(row.providerAmountPaise),
  lockStartedAt: row.lockStartedAt,
  lockEndsAt: row.lockEndsAt,
});

const toSellQuote = (row: Filled<SellRow>): SellQuote => ({
  ...toCommon(row),
  proceedsPaise: paise(row.proceedsPaise),
  withheldPaise: paise(row.withheldPaise),
  providerPricePaise: paise(row.providerPricePaise),
});

/** Returns a buy quote of this customer, or undefined if there is none. */
export const findBuyQuote = async (
  db: Db,
  id: string,
  userId: string,
): Promise<BuyQuote | undefined> => {
  const where = { id, userId, kind: 'BUY' };
  const row = await db.goldQuote.findFirst({ where, select: buyColumns });
  return row === null ? undefined : toBuyQuote(row as Filled<BuyRow>);
};

/** Returns the subquery that selects the grams of a buy quote of this customer. */
export const quotedGramsSql = (id: string | null, userId: string): Sql => sql`
  SELECT grams FROM gold_quote
  WHERE id = ${id}::uuid AND user_id = ${userId}::uuid AND kind = 'BUY'`;

/** Locks a buy quote of this customer until the transaction ends, and returns it. */
export const lockBuyQuote = async (
  tx: Db,
  id: string,
  userId: string,
): Promise<BuyQuote | undefined> => {
  const row = await selectOne<BuyRow>(
    tx,
    sql`
      SELECT ${sqlColumns(buyColumns)} FROM gold_quote
      WHERE id = ${id}::uuid AND user_id = ${userId}::uuid AND kind = 'BUY' FOR UPDATE`,
  );
  return row === undefined ? undefined : toBuyQuote(row as Filled<BuyRow>);
};

/**
 * Inserts a buy quote. The transaction of a purchase inserts a quote that is already CONSUMED. The
 * statement is raw SQL, because every purchase inserts a quote (benchmarks.md).
 */
export const insertBuyQuote = async (db: Db, quote: BuyQuote): Promise<void> => {
  const consumedAt = quote.status === 'CONSUMED' ? quote.createdAt : null;
  await execute(
    db,
    sql`
      INSERT INTO gold_quote (id, user_id, kind, status, unit, requested_amount, grams,
        price_per_gram_paise, gold_value_paise, gst_paise, gst_rate_bps, total_paise,
        rounding_paise, provider, provider_tx_id, provider_rate_id, provider_amount_paise,
        lock_started_at, lock_ends_at, expires_at, consumed_at, created_at, updated_at)
      VALUES (${quote.id}::uuid, ${quote.userId}::uuid, 'BUY', ${quote.status}, ${quote.unit},
        ${quote.requested}::numeric, ${gramsToDatabase(quote.grams)}::numeric,
        ${quote.pricePerGramPaise}::bigint, ${quote.goldValuePaise}::bigint,
        ${quote.gstPaise}::bigint, ${quote.gstRateBps}::int, ${quote.totalPaise}::bigint,
        ${quote.roundingPaise}::bigint, ${quote.provider}, ${quote.providerTxId},
        ${quote.providerRateId}, ${quote.providerAmountPaise}::bigint,
        ${quote.lockStartedAt}::timestamptz, ${quote.lockEndsAt}::timestamptz,
        ${quote.expiresAt}::timestamptz, ${consumedAt}::timestamptz,
        ${quote.createdAt}::timestamptz, ${quote.createdAt}::timestamptz)`,
  );
};

/** Returns a sell quote of this customer, or undefined if there is none. */
export const findSellQuote = async (
  db: Db,
  id: string,
  userId: string,
): Promise<SellQuote | undefined> => {
  const where = { id, userId, kind: 'SELL' };
  const row = await db.goldQuote.findFirst({ where, select: sellColumns });
  return row === null ? undefined : toSellQuote(row as Filled<SellRow>);
};

/** Locks a sell quote of this customer until the transaction ends, and returns it. */
export const lockSellQuote = async (
  tx: Db,
  id: string,
  userId: string,
): Promise<SellQuote | undefined> => {
  const row = await selectOne<SellRow>(
    tx,
    sql`
      SELECT ${sqlColumns(sellColumns)} FROM gold_quote
      WHERE id = ${id}::uuid AND user_id = ${userId}::uuid AND kind = 'SELL' FOR UPDATE`,
  );
  return row === undefined ? undefined : toSellQuote(row as Filled<SellRow>);
};

/** Returns the customer's newest usable sell quote of exactly this unit and amount. */
export const findUsableSellQuote = async (
  db: Db,
  userId: string,
  { unit, requested }: { readonly unit: string; readonly requested: string },
  now: Date,
): Promise<SellQuote | undefined> => {
  const row = await db.goldQuote.findFirst({
    where: {
      userId,
      kind: 'SELL',
      status: 'ACTIVE',
      expiresAt: { gt: now },
      unit,
      requestedAmount: requested,
    },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    select: sellColumns,
  });
  return row === null ? undefined : toSellQuote(row as Filled<SellRow>);
};

/** Inserts a sell quote. The transaction of a sale inserts a quote that is already CONSUMED. */
export const insertSellQuote = async (db: Db, quote: SellQuote): Promise<void> => {
  await db.goldQuote.create({
    data: {
      id: quote.id,
      userId: quote.userId,
      kind: 'SELL',
      status: quote.status,
      unit: quote.unit,
      requestedAmount: quote.requested,
      grams: gramsToDatabase(quote.grams),
      pricePerGramPaise: quote.pricePerGramPaise,
      proceedsPaise: quote.proceedsPaise,
      withheldPaise: quote.withheldPaise,
      provider: quote.provider,
      providerRateId: quote.providerRateId,
      providerPricePaise: quote.providerPricePaise,
      expiresAt: quote.expiresAt,
      consumedAt: quote.status === 'CONSUMED' ? quote.createdAt : null,
      createdAt: quote.createdAt,
      updatedAt: quote.createdAt,
    },
    select: { id: true },
  });
};

/**
 * The time in ms for which an expired quote is stored. It is longer than the period of any
 * reconciliation, in which the provider still lists the verify of a quote.
 */
export const quoteRetentionMs = 90 * 24 * 60 * 60_000;
