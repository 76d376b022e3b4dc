import { Prisma } from '../../generated/prisma/client.ts';
import { gramsToDatabase } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { ManualReviewCode, SellQuote } from './gold.types.ts';

export interface PlacedSell {
  readonly id: string;
  readonly eventId: string;
  readonly quote: SellQuote;
  readonly bankAccountId: string;
  readonly requestId: string;
  readonly at: Date;
}

/** What only sells have among the rows of `gold_order`. */
export const createSellOrderStore = (db: Db) => ({
  /** The order of a consumed quote, with the event that it begins with. */
  async insert({ id, eventId, quote, bankAccountId, requestId, at }: PlacedSell): Promise<void> {
    await db.$executeRaw`
      WITH placed AS (
        INSERT INTO gold_order (id, user_id, type, status, quote_id, unit, amount_paise, grams,
          price_per_gram_paise, proceeds_paise, withheld_paise, provider, provider_rate_id,
          bank_account_id, created_at, updated_at)
        VALUES (${id}::uuid, ${quote.userId}::uuid, 'SELL', 'PENDING', ${quote.id}::uuid,
          ${quote.unit}, ${quote.proceedsPaise}::bigint, ${gramsToDatabase(quote.grams)}::numeric,
          ${quote.pricePerGramPaise}::bigint, ${quote.proceedsPaise}::bigint,
          ${quote.withheldPaise}::bigint, ${quote.provider}, ${quote.providerRateId},
          ${bankAccountId}::uuid, ${at}::timestamptz, ${at}::timestamptz)
        RETURNING id, status)
      INSERT INTO gold_order_event
        (id, order_id, from_status, to_status, cause, actor, request_id, at)
      SELECT ${eventId}::uuid, id, NULL, status, 'order.placed',
        ${`customer:${quote.userId}`}, ${requestId}, ${at}::timestamptz
      FROM placed`;
  },

  /** Puts a verified sell under review: no move, its grams stay reserved. False: it was already. */
  async sendToReview(
    orderId: string,
    review: { readonly code: ManualReviewCode; readonly reason: string; readonly at: Date },
  ): Promise<boolean> {
    const count = await db.$executeRaw`
      UPDATE gold_order
      SET manual_review_code = ${review.code}, manual_review_reason = ${review.reason},
        updated_at = ${review.at}::timestamptz
      WHERE id = ${orderId}::uuid AND type = 'SELL' AND status = 'VERIFIED'
        AND manual_review_code IS NULL`;
    return count === 1;
  },

  /** Sells that were placed before `before` and never verified: their process may be gone. */
  listAbandoned: (before: Date, limit: number): Promise<{ id: string }[]> => db.$queryRaw`
    SELECT id FROM gold_order
    WHERE type = 'SELL' AND status = 'PENDING' AND updated_at < ${before}::timestamptz
    ORDER BY updated_at LIMIT ${limit}`,

  /**
   * Verified sells that wait for the provider's word: under review, or left alone since `before`.
   * Those that somebody has asked about since `askedBefore` are left out.
   */
  listUndecided: (before: Date, askedBefore: Date, limit: number): Promise<{ id: string }[]> =>
    db.$queryRaw`
      SELECT o.id FROM gold_order o
      WHERE o.type = 'SELL' AND o.status = 'VERIFIED'
        AND (o.manual_review_code IS NOT NULL OR o.updated_at < ${before}::timestamptz)
        AND NOT EXISTS (
          SELECT FROM provider_operation p
          WHERE p.order_id = o.id AND p.operation = 'sell-confirm'
            AND (p.lease_until > clock_timestamp()
              OR p.last_asked_at > ${askedBefore}::timestamptz))
      ORDER BY o.updated_at LIMIT ${limit}`,

  /** Whether a sell that will be paid to this account is on its way to its payout. */
  async isPayingTo(bankAccountId: string): Promise<boolean> {
    const rows = await db.$queryRaw<{ id: string }[]>(Prisma.sql`
      SELECT id FROM gold_order
      WHERE bank_account_id = ${bankAccountId}::uuid AND status IN ('PENDING', 'VERIFIED')
      LIMIT 1`);
    return rows.length > 0;
  },
});
