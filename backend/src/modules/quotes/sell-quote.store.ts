import { Prisma } from '../../generated/prisma/client.ts';
import { gramsFromDatabase, gramsToDatabase, paise } from '../../money/index.ts';
import type { DatabaseDecimal } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { SellQuote } from '../orders/index.ts';

type AmountName = 'pricePerGramPaise' | 'proceedsPaise' | 'withheldPaise' | 'providerPricePaise';

type Row = Omit<SellQuote, AmountName | 'grams'> & { readonly grams: DatabaseDecimal } & {
  readonly [Name in AmountName]: bigint;
};

const columns = Prisma.sql`
  q.id, q.user_id AS "userId", q.status, q.unit, q.requested_amount::text AS requested, q.grams,
  q.price_per_gram_paise AS "pricePerGramPaise", q.proceeds_paise AS "proceedsPaise",
  q.withheld_paise AS "withheldPaise", q.provider, q.provider_rate_id AS "providerRateId",
  q.provider_price_paise AS "providerPricePaise", q.expires_at AS "expiresAt",
  q.created_at AS "createdAt"`;

const toQuote = (row: Row): SellQuote => ({
  ...row,
  grams: gramsFromDatabase(row.grams),
  pricePerGramPaise: paise(row.pricePerGramPaise),
  proceedsPaise: paise(row.proceedsPaise),
  withheldPaise: paise(row.withheldPaise),
  providerPricePaise: paise(row.providerPricePaise),
});

/** The SELL quotes among the rows of `gold_quote`. */
export const createSellQuoteStore = (db: Db) => {
  const one = async (userId: string, rest: Prisma.Sql): Promise<SellQuote | undefined> => {
    const rows = await db.$queryRaw<Row[]>`
      SELECT ${columns} FROM gold_quote q
      WHERE q.user_id = ${userId}::uuid AND q.kind = 'SELL' ${rest}`;
    return rows[0] === undefined ? undefined : toQuote(rows[0]);
  };

  return {
    /** A sell quote of this customer; undefined where there is none. */
    findOwn: (id: string, userId: string) => one(userId, Prisma.sql`AND q.id = ${id}::uuid`),

    /** The same, locked until the transaction ends. */
    lockOwn: (id: string, userId: string) =>
      one(userId, Prisma.sql`AND q.id = ${id}::uuid FOR UPDATE`),

    /** The newest one that can still be used, of exactly this unit and amount. */
    newestActive: (
      userId: string,
      asked: { readonly unit: string; readonly requested: string },
      now: Date,
    ) =>
      one(
        userId,
        Prisma.sql`
          AND q.status = 'ACTIVE' AND q.expires_at > ${now}::timestamptz
          AND q.unit = ${asked.unit} AND q.requested_amount = ${asked.requested}::numeric
          ORDER BY q.created_at DESC, q.id DESC LIMIT 1`,
      ),

    /** A new quote; one of status CONSUMED is consumed by the transaction that inserts it. */
    async insert(quote: SellQuote): Promise<void> {
      const consumedAt = quote.status === 'CONSUMED' ? quote.createdAt : null;
      await db.$executeRaw`
        INSERT INTO gold_quote (id, user_id, kind, status, unit, requested_amount, grams,
          price_per_gram_paise, proceeds_paise, withheld_paise, provider, provider_rate_id,
          provider_price_paise, expires_at, consumed_at, created_at, updated_at)
        VALUES (${quote.id}::uuid, ${quote.userId}::uuid, 'SELL', ${quote.status}, ${quote.unit},
          ${quote.requested}::numeric, ${gramsToDatabase(quote.grams)}::numeric,
          ${quote.pricePerGramPaise}::bigint, ${quote.proceedsPaise}::bigint,
          ${quote.withheldPaise}::bigint, ${quote.provider}, ${quote.providerRateId},
          ${quote.providerPricePaise}::bigint, ${quote.expiresAt}::timestamptz,
          ${consumedAt}::timestamptz, ${quote.createdAt}::timestamptz,
          ${quote.createdAt}::timestamptz)`;
    },
  };
};
