import { Prisma } from '../../generated/prisma/client.ts';
import { fromSafeBps, gramsFromDatabase, gramsToDatabase, paise } from '../../money/index.ts';
import type { DatabaseDecimal } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { BuyQuote } from '../orders/index.ts';

type AmountName =
  | 'pricePerGramPaise'
  | 'goldValuePaise'
  | 'gstPaise'
  | 'totalPaise'
  | 'roundingPaise'
  | 'providerAmountPaise';

type Row = Omit<BuyQuote, AmountName | 'grams' | 'gstRateBps'> & {
  readonly grams: DatabaseDecimal;
  readonly gstRateBps: number;
} & {
  readonly [Name in AmountName]: bigint;
};

const columns = Prisma.sql`
  q.id, q.user_id AS "userId", q.status, q.unit, q.requested_amount::text AS requested, q.grams,
  q.price_per_gram_paise AS "pricePerGramPaise", q.gold_value_paise AS "goldValuePaise",
  q.gst_paise AS "gstPaise", q.gst_rate_bps AS "gstRateBps", q.total_paise AS "totalPaise",
  q.rounding_paise AS "roundingPaise", q.provider, q.provider_tx_id AS "providerTxId",
  q.provider_rate_id AS "providerRateId", q.provider_amount_paise AS "providerAmountPaise",
  q.lock_started_at AS "lockStartedAt", q.lock_ends_at AS "lockEndsAt",
  q.expires_at AS "expiresAt", q.created_at AS "createdAt"`;

const toQuote = (row: Row): BuyQuote => ({
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

/** The rows of `gold_quote`. */
export const createGoldQuoteStore = (db: Db) => {
  const ownBuy = async (id: string, userId: string, lock: Prisma.Sql) => {
    const rows = await db.$queryRaw<Row[]>`
      SELECT ${columns} FROM gold_quote q
      WHERE q.id = ${id}::uuid AND q.user_id = ${userId}::uuid AND q.kind = 'BUY' ${lock}`;
    return rows[0] === undefined ? undefined : toQuote(rows[0]);
  };

  return {
    /** A buy quote of this customer; undefined where there is none. */
    findOwn: (id: string, userId: string) => ownBuy(id, userId, Prisma.empty),

    /** The same, locked until the transaction ends. */
    lockOwn: (id: string, userId: string) => ownBuy(id, userId, Prisma.sql`FOR UPDATE`),

    /** A new quote; one of status CONSUMED is consumed by the transaction that inserts it. */
    async insert(quote: BuyQuote): Promise<void> {
      const consumedAt = quote.status === 'CONSUMED' ? quote.createdAt : null;
      await db.$executeRaw`
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
          ${quote.createdAt}::timestamptz, ${quote.createdAt}::timestamptz)`;
    },

    /** ACTIVE -> CONSUMED; false when it was not active any more. */
    async consume(id: string, at: Date): Promise<boolean> {
      const count = await db.$executeRaw`
        UPDATE gold_quote
        SET status = 'CONSUMED', consumed_at = ${at}::timestamptz, updated_at = ${at}::timestamptz
        WHERE id = ${id}::uuid AND status = 'ACTIVE' AND expires_at > ${at}::timestamptz`;
      return count === 1;
    },

    /** ACTIVE -> EXPIRED for at most `limit` that have run out; answers how many. Skips what a
     * buy holds at this moment. */
    expire: (now: Date, limit: number): Promise<number> => db.$executeRaw`
      UPDATE gold_quote SET status = 'EXPIRED', updated_at = ${now}::timestamptz
      WHERE id IN (
        SELECT id FROM gold_quote
        WHERE status = 'ACTIVE' AND expires_at <= ${now}::timestamptz
        ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`,
  };
};
