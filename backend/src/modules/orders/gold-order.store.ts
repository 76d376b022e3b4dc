import { Prisma } from '../../generated/prisma/client.ts';
import { gramsFromDatabase, gramsToDatabase, paise } from '../../money/index.ts';
import type { DatabaseDecimal, Grams, Paise } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import { isUuid } from '../../platform/ids/random.ts';
import type { BuyQuote, GoldOrder, GoldOrderEvent } from './gold.types.ts';

type AmountName =
  | 'amountPaise'
  | 'pricePerGramPaise'
  | 'goldValuePaise'
  | 'gstPaise'
  | 'roundingPaise'
  | 'proceedsPaise'
  | 'providerAmountPaise'
  | 'priceDifferencePaise';

type Row = Omit<GoldOrder, AmountName | 'grams'> & { readonly grams: DatabaseDecimal | null } & {
  readonly [Name in AmountName]: Name extends 'amountPaise' ? bigint : bigint | null;
};

const columns = Prisma.sql`
  o.id, o.user_id AS "userId", o.type, o.status, o.quote_id AS "quoteId", o.unit,
  o.amount_paise AS "amountPaise", o.grams, o.price_per_gram_paise AS "pricePerGramPaise",
  o.gold_value_paise AS "goldValuePaise", o.gst_paise AS "gstPaise",
  o.rounding_paise AS "roundingPaise", o.proceeds_paise AS "proceedsPaise", o.provider,
  o.provider_tx_id AS "providerTxId", o.provider_rate_id AS "providerRateId",
  o.provider_amount_paise AS "providerAmountPaise", o.lock_started_at AS "lockStartedAt",
  o.lock_ends_at AS "lockEndsAt", o.expires_at AS "expiresAt", o.paid_at AS "paidAt",
  o.allocation_attempts AS "allocationAttempts", o.next_attempt_at AS "nextAttemptAt",
  o.allocated_at AS "allocatedAt", o.manual_review_code AS "manualReviewCode",
  o.manual_review_reason AS "manualReviewReason", o.failure_code AS "failureCode",
  o.refund_reference AS "refundReference", o.price_difference_paise AS "priceDifferencePaise",
  o.bank_account_id AS "bankAccountId", o.created_at AS "createdAt",
  o.updated_at AS "updatedAt"`;

const paiseOrNull = (value: bigint | null): Paise | null => (value === null ? null : paise(value));
const gramsOrNull = (value: DatabaseDecimal | null): Grams | null =>
  value === null ? null : gramsFromDatabase(value);

const toOrder = (row: Row): GoldOrder => ({
  ...row,
  amountPaise: paise(row.amountPaise),
  grams: gramsOrNull(row.grams),
  pricePerGramPaise: paiseOrNull(row.pricePerGramPaise),
  goldValuePaise: paiseOrNull(row.goldValuePaise),
  gstPaise: paiseOrNull(row.gstPaise),
  roundingPaise: paiseOrNull(row.roundingPaise),
  proceedsPaise: paiseOrNull(row.proceedsPaise),
  providerAmountPaise: paiseOrNull(row.providerAmountPaise),
  priceDifferencePaise: paiseOrNull(row.priceDifferencePaise),
});

export interface OrderFilter {
  readonly userId?: string | undefined;
  readonly status?: string | undefined;
  readonly type?: string | undefined;
  /** An id of the order, its customer or quote; the provider's transaction; a phone number. */
  readonly q?: string | undefined;
}

const searchOf = (q: string): Prisma.Sql => {
  if (isUuid(q)) {
    return Prisma.sql`(o.id = ${q}::uuid OR o.user_id = ${q}::uuid OR o.quote_id = ${q}::uuid)`;
  }
  const phone = /^\d{10}$/u.test(q) ? `+91${q}` : q;
  return Prisma.sql`(o.provider_tx_id = ${q} OR o.refund_reference = ${q}
    OR o.user_id = (SELECT u.id FROM app_user u WHERE u.phone = ${phone}))`;
};

const whereOf = ({ userId, status, type, q }: OrderFilter): Prisma.Sql => {
  const parts = [
    ...(userId === undefined ? [] : [Prisma.sql`o.user_id = ${userId}::uuid`]),
    ...(status === undefined ? [] : [Prisma.sql`o.status = ${status}`]),
    ...(type === undefined ? [] : [Prisma.sql`o.type = ${type}`]),
    ...(q === undefined ? [] : [searchOf(q)]),
  ];
  return parts.length === 0 ? Prisma.empty : Prisma.sql`WHERE ${Prisma.join(parts, ' AND ')}`;
};

export interface PlacedBuy {
  readonly id: string;
  readonly eventId: string;
  readonly quote: BuyQuote;
  readonly requestId: string;
  readonly at: Date;
}

/** The rows of `gold_order`, and the first row of their history. */
export const createGoldOrderStore = (db: Db) => {
  const select = async (rest: Prisma.Sql): Promise<GoldOrder[]> => {
    const rows = await db.$queryRaw<Row[]>`SELECT ${columns} FROM gold_order o ${rest}`;
    return rows.map(toOrder);
  };

  return {
    find: async (id: string) => (await select(Prisma.sql`WHERE o.id = ${id}::uuid`))[0],

    /** The row, locked until the transaction ends: the first lock of whatever moves an order. */
    lock: async (id: string) => (await select(Prisma.sql`WHERE o.id = ${id}::uuid FOR UPDATE`))[0],

    /** Newest first. */
    async list(filter: OrderFilter, page: Page): Promise<{ rows: GoldOrder[]; total: number }> {
      const where = whereOf(filter);
      const rows = await select(Prisma.sql`${where}
        ORDER BY o.created_at DESC, o.id DESC LIMIT ${page.limit} OFFSET ${offsetOf(page)}`);
      const [counted] = await db.$queryRaw<{ total: number }[]>`
        SELECT count(*)::int AS total FROM gold_order o ${where}`;
      return { rows, total: counted?.total ?? 0 };
    },

    /** The order of a consumed quote, with the event that it begins with. */
    async insertBuy({ id, eventId, quote, requestId, at }: PlacedBuy): Promise<void> {
      await db.$executeRaw`
        WITH placed AS (
          INSERT INTO gold_order (id, user_id, type, status, quote_id, unit, amount_paise, grams,
            price_per_gram_paise, gold_value_paise, gst_paise, gst_rate_bps, rounding_paise,
            provider, provider_tx_id, provider_rate_id, provider_amount_paise, lock_started_at,
            lock_ends_at, expires_at, created_at, updated_at)
          VALUES (${id}::uuid, ${quote.userId}::uuid, 'BUY', 'PENDING', ${quote.id}::uuid,
            ${quote.unit}, ${quote.totalPaise}::bigint, ${gramsToDatabase(quote.grams)}::numeric,
            ${quote.pricePerGramPaise}::bigint, ${quote.goldValuePaise}::bigint,
            ${quote.gstPaise}::bigint, ${quote.gstRateBps}::int, ${quote.roundingPaise}::bigint,
            ${quote.provider}, ${quote.providerTxId}, ${quote.providerRateId},
            ${quote.providerAmountPaise}::bigint, ${quote.lockStartedAt}::timestamptz,
            ${quote.lockEndsAt}::timestamptz, ${quote.lockEndsAt}::timestamptz,
            ${at}::timestamptz, ${at}::timestamptz)
          RETURNING id, status)
        INSERT INTO gold_order_event
          (id, order_id, from_status, to_status, cause, actor, request_id, at)
        SELECT ${eventId}::uuid, id, NULL, status, 'order.placed',
          ${`customer:${quote.userId}`}, ${requestId}, ${at}::timestamptz
        FROM placed`;
    },

    /**
     * What the customer's buys of a day come to: those not failed; an unpaid one counts while its
     * lock stands (decisions, section 2). Definite only under the holding's lock.
     */
    async boughtPaise(userId: string, from: Date, to: Date, now: Date): Promise<Paise> {
      const [row] = await db.$queryRaw<{ bought: bigint }[]>`
        SELECT coalesce(sum(amount_paise), 0)::bigint AS bought FROM gold_order
        WHERE user_id = ${userId}::uuid AND type = 'BUY'
          AND created_at >= ${from}::timestamptz AND created_at < ${to}::timestamptz
          AND status <> 'FAILED'
          AND (status <> 'PENDING' OR lock_ends_at > ${now}::timestamptz)`;
      return paise(row?.bought ?? 0n);
    },

    events: (orderId: string): Promise<GoldOrderEvent[]> => db.$queryRaw<GoldOrderEvent[]>`
      SELECT from_status AS "from", to_status AS "to", cause, actor, request_id AS "requestId", at
      FROM gold_order_event WHERE order_id = ${orderId}::uuid ORDER BY seq`,

    /** Unpaid orders whose lock has run out, oldest first. */
    listLapsed: (now: Date, limit: number): Promise<{ id: string }[]> => db.$queryRaw`
      SELECT id FROM gold_order
      WHERE status = 'PENDING' AND type = 'BUY' AND expires_at <= ${now}::timestamptz
      ORDER BY expires_at LIMIT ${limit}`,

    /** Paid orders with which nothing has happened since `before`: their job is lost. */
    listStalled: (before: Date, limit: number): Promise<{ id: string }[]> => db.$queryRaw`
      SELECT id FROM gold_order
      WHERE status = 'PAID' AND type = 'BUY' AND updated_at < ${before}::timestamptz
      ORDER BY updated_at LIMIT ${limit}`,

    /** Orders whose next try was due before `before`, and that are still waiting for it. */
    listOverdue: (before: Date, limit: number): Promise<{ id: string }[]> => db.$queryRaw`
      SELECT id FROM gold_order
      WHERE status = 'RETRY_PENDING' AND type = 'BUY'
        AND next_attempt_at < ${before}::timestamptz
      ORDER BY next_attempt_at LIMIT ${limit}`,
  };
};

export type GoldOrderStore = ReturnType<typeof createGoldOrderStore>;
