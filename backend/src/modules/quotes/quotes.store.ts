import {
  fromSafeBps,
  gramsFromDatabase,
  gramsToDatabase,
  paise,
  type DatabaseDecimal,
} from '../../money/index.ts';
import { execute, noSql, selectRows, sql, type Db, type Sql } from '../../platform/db/index.ts';
import { addMs, type Clock } from '../../platform/clock/clock.ts';
import type { Purge } from '../../platform/jobs/index.ts';
import type { BuyQuote, SellQuote } from './quotes.types.ts';

type BuyAmountName =
  | 'pricePerGramPaise'
  | 'goldValuePaise'
  | 'gstPaise'
  | 'totalPaise'
  | 'roundingPaise'
  | 'providerAmountPaise';

type BuyRow = Omit<BuyQuote, BuyAmountName | 'grams' | 'gstRateBps'> & {
  readonly grams: DatabaseDecimal;
  readonly gstRateBps: number;
} & {
  readonly [Name in BuyAmountName]: bigint;
};

const buyColumns = sql`
  q.id, q.user_id AS "userId", q.status, q.unit, q.requested_amount::text AS requested, q.grams,
  q.price_per_gram_paise AS "pricePerGramPaise", q.gold_value_paise AS "goldValuePaise",
  q.gst_paise AS "gstPaise", q.gst_rate_bps AS "gstRateBps", q.total_paise AS "totalPaise",
  q.rounding_paise AS "roundingPaise", q.provider, q.provider_tx_id AS "providerTxId",
  q.provider_rate_id AS "providerRateId", q.provider_amount_paise AS "providerAmountPaise",
  q.lock_started_at AS "lockStartedAt", q.lock_ends_at AS "lockEndsAt",
  q.expires_at AS "expiresAt", q.created_at AS "createdAt"`;

const toBuyQuote = (row: BuyRow): BuyQuote => ({
  ...row,
  grams: gramsFromDatabase(row.grams),
  pricePerGramPaise: paise(row.pricePerGramPaise),
  goldValuePaise: paise(row.goldValuePaise),
  gstPaise: paise(row.gstPaise),
  gstRateBps: fromSafeBps(row.gstRateBps),
  totalPaise: paise(row.totalPaise),
  roundingPaise: paise(row.roundingPaise),
  providerAmountPaise: paise(row.providerAmountPaise),
});

const selectBuyQuote = async (
  db: Db,
  id: string,
  userId: string,
  lock: Sql,
): Promise<BuyQuote | undefined> => {
  const rows = await selectRows<BuyRow>(
    db,
    sql`
      SELECT ${buyColumns} FROM gold_quote q
      WHERE q.id = ${id}::uuid AND q.user_id = ${userId}::uuid AND q.kind = 'BUY' ${lock}`,
  );
  return rows[0] === undefined ? undefined : toBuyQuote(rows[0]);
};

/** Returns a buy quote of this customer; undefined where there is none. */
export const findBuyQuote = (db: Db, id: string, userId: string) =>
  selectBuyQuote(db, id, userId, noSql);

/** Returns it locked until the transaction ends. */
export const lockBuyQuote = (db: Db, id: string, userId: string) =>
  selectBuyQuote(db, id, userId, sql`FOR UPDATE`);

/** Writes a new quote; one of status CONSUMED is consumed by the transaction that inserts it. */
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

type SellAmountName =
  | 'pricePerGramPaise'
  | 'proceedsPaise'
  | 'withheldPaise'
  | 'providerPricePaise';

type SellRow = Omit<SellQuote, SellAmountName | 'grams'> & { readonly grams: DatabaseDecimal } & {
  readonly [Name in SellAmountName]: bigint;
};

const sellColumns = sql`
  q.id, q.user_id AS "userId", q.status, q.unit, q.requested_amount::text AS requested, q.grams,
  q.price_per_gram_paise AS "pricePerGramPaise", q.proceeds_paise AS "proceedsPaise",
  q.withheld_paise AS "withheldPaise", q.provider, q.provider_rate_id AS "providerRateId",
  q.provider_price_paise AS "providerPricePaise", q.expires_at AS "expiresAt",
  q.created_at AS "createdAt"`;

const toSellQuote = (row: SellRow): SellQuote => ({
  ...row,
  grams: gramsFromDatabase(row.grams),
  pricePerGramPaise: paise(row.pricePerGramPaise),
  proceedsPaise: paise(row.proceedsPaise),
  withheldPaise: paise(row.withheldPaise),
  providerPricePaise: paise(row.providerPricePaise),
});

const selectSellQuote = async (
  db: Db,
  userId: string,
  rest: Sql,
): Promise<SellQuote | undefined> => {
  const rows = await selectRows<SellRow>(
    db,
    sql`
      SELECT ${sellColumns} FROM gold_quote q
      WHERE q.user_id = ${userId}::uuid AND q.kind = 'SELL' ${rest}`,
  );
  return rows[0] === undefined ? undefined : toSellQuote(rows[0]);
};

/** Returns a sell quote of this customer; undefined where there is none. */
export const findSellQuote = (db: Db, id: string, userId: string) =>
  selectSellQuote(db, userId, sql`AND q.id = ${id}::uuid`);

/** Returns it locked until the transaction ends. */
export const lockSellQuote = (db: Db, id: string, userId: string) =>
  selectSellQuote(db, userId, sql`AND q.id = ${id}::uuid FOR UPDATE`);

/** Returns the newest sell quote that can still be used, of exactly this unit and amount. */
export const findUsableSellQuote = (
  db: Db,
  userId: string,
  amount: { readonly unit: string; readonly requested: string },
  now: Date,
) =>
  selectSellQuote(
    db,
    userId,
    sql`
      AND q.status = 'ACTIVE' AND q.expires_at > ${now}::timestamptz
      AND q.unit = ${amount.unit} AND q.requested_amount = ${amount.requested}::numeric
      ORDER BY q.created_at DESC, q.id DESC LIMIT 1`,
  );

/** Writes a new quote; one of status CONSUMED is consumed by the transaction that inserts it. */
export const insertSellQuote = async (db: Db, quote: SellQuote): Promise<void> => {
  const consumedAt = quote.status === 'CONSUMED' ? quote.createdAt : null;
  await execute(
    db,
    sql`
      INSERT INTO gold_quote (id, user_id, kind, status, unit, requested_amount, grams,
        price_per_gram_paise, proceeds_paise, withheld_paise, provider, provider_rate_id,
        provider_price_paise, expires_at, consumed_at, created_at, updated_at)
      VALUES (${quote.id}::uuid, ${quote.userId}::uuid, 'SELL', ${quote.status}, ${quote.unit},
        ${quote.requested}::numeric, ${gramsToDatabase(quote.grams)}::numeric,
        ${quote.pricePerGramPaise}::bigint, ${quote.proceedsPaise}::bigint,
        ${quote.withheldPaise}::bigint, ${quote.provider}, ${quote.providerRateId},
        ${quote.providerPricePaise}::bigint, ${quote.expiresAt}::timestamptz,
        ${consumedAt}::timestamptz, ${quote.createdAt}::timestamptz,
        ${quote.createdAt}::timestamptz)`,
  );
};

/** Longer than any reconciliation looks back: the provider still shows the verify of a quote. */
const keptMs = 90 * 24 * 60 * 60_000;

/**
 * Deletes quotes long expired that nothing rests on. The foreign keys of orders, payment orders and
 * calls to the provider would refuse any other.
 */
export const createQuotePurge = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): Purge => ({
  name: 'purge-quotes',
  deleteBatch: (limit) =>
    execute(
      db,
      sql`
        DELETE FROM gold_quote WHERE id IN (
          SELECT q.id FROM gold_quote q
          WHERE q.status = 'EXPIRED'
            AND q.expires_at < ${addMs(clock.now(), -keptMs)}::timestamptz
            AND NOT EXISTS (SELECT FROM gold_order o WHERE o.quote_id = q.id)
            AND NOT EXISTS (SELECT FROM payment_order p WHERE p.quote_id = q.id)
            AND NOT EXISTS (SELECT FROM provider_operation c WHERE c.quote_id = q.id)
          ORDER BY q.expires_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
    ),
});
