import type { OrderSettlement, PayableOrder } from '../../src/modules/payments/index.ts';
import { paise } from '../../src/money/index.ts';
import { addSeconds, type Clock } from '../../src/platform/clock/clock.ts';
import type { Database, Db } from '../../src/platform/db/index.ts';
import { enqueue } from '../../src/platform/jobs/index.ts';
import type { Random } from '../../src/platform/ids/random.ts';

export interface OrderState {
  readonly status: string;
  readonly code: string | null;
  readonly reason: string | null;
  /** Every move so far, such as `PENDING>PAID`. */
  readonly moves: readonly string[];
  /** Allocations that were asked for. */
  readonly allocations: number;
}

export interface PayableOrders {
  readonly settlement: OrderSettlement;
  /** A buy that waits for its payment; the price lock lasts `lockSeconds` (480). */
  place(order?: {
    amountPaise?: bigint;
    lockSeconds?: number;
    userId?: string;
  }): Promise<{ orderId: string; userId: string; amountPaise: bigint; lockEndsAt: Date }>;
  state(orderId: string): Promise<OrderState>;
  /** Moves an order as its own module would. */
  set(orderId: string, status: string): Promise<void>;
  /** The next so many calls of the settlement fail. */
  breakFor(times: number): void;
}

interface Deps {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
}

type Row = Omit<PayableOrder, 'amountPaise'> & { readonly amountPaise: bigint };

/** A number of no meaning that the check on phones takes, a different one for each id. */
const phoneOf = (id: string): string =>
  `+91${(9_000_000_000n + (BigInt(`0x${id.slice(-8)}`) % 1_000_000_000n)).toString()}`;

const insertUser = (db: Db, id: string, now: Date) => db.$executeRaw`
  INSERT INTO app_user (id, phone, phone_hash, referral_code, created_at, updated_at)
  VALUES (${id}::uuid, ${phoneOf(id)}, ${`hash-${id}`}, ${id.slice(-8).toUpperCase()},
    ${now}::timestamptz, ${now}::timestamptz)
  ON CONFLICT DO NOTHING`;

const insertQuote = (
  db: Db,
  quote: { id: string; userId: string; amountPaise: bigint; now: Date; lockEndsAt: Date },
) => db.$executeRaw`
  INSERT INTO gold_quote
    (id, user_id, kind, status, unit, requested_amount, grams, price_per_gram_paise,
     gold_value_paise, gst_paise, gst_rate_bps, total_paise, rounding_paise, provider,
     provider_tx_id, lock_started_at, lock_ends_at, expires_at, consumed_at, created_at, updated_at)
  VALUES
    (${quote.id}::uuid, ${quote.userId}::uuid, 'BUY', 'CONSUMED', 'INR', 1, 1, 100,
     ${quote.amountPaise}, 0, 0, ${quote.amountPaise}, 0, 'safegold', ${quote.id},
     ${quote.now}::timestamptz, ${quote.lockEndsAt}::timestamptz, ${quote.lockEndsAt}::timestamptz,
     ${quote.now}::timestamptz, ${quote.now}::timestamptz, ${quote.now}::timestamptz)`;

const insertOrder = (
  db: Db,
  order: { id: string; userId: string; quoteId: string; amountPaise: bigint; lockEndsAt: Date },
  now: Date,
) => db.$executeRaw`
  INSERT INTO gold_order
    (id, user_id, type, status, quote_id, unit, amount_paise, grams, price_per_gram_paise,
     gold_value_paise, gst_paise, provider, provider_tx_id, lock_started_at, lock_ends_at,
     expires_at, created_at, updated_at)
  VALUES
    (${order.id}::uuid, ${order.userId}::uuid, 'BUY', 'PENDING', ${order.quoteId}::uuid, 'INR',
     ${order.amountPaise}, 1, 100, ${order.amountPaise}, 0, 'safegold', ${order.quoteId},
     ${now}::timestamptz, ${order.lockEndsAt}::timestamptz, ${order.lockEndsAt}::timestamptz,
     ${now}::timestamptz, ${now}::timestamptz)`;

/** The least that an order needs in order to be paid for, in real tables. */
export const createPayableOrders = ({ database, clock, random }: Deps): PayableOrders => {
  const { db, inTransaction } = database;
  let broken = 0;
  const checkBroken = (): void => {
    if (broken === 0) return;
    broken -= 1;
    throw new Error('the settlement is broken for now');
  };

  const move = async (
    tx: Db,
    orderId: string,
    from: readonly string[],
    to: string,
    info: { cause: string; actor: string; code?: string; reason?: string },
  ): Promise<void> => {
    checkBroken();
    const [before] = await tx.$queryRaw<{ status: string }[]>`
      SELECT status FROM gold_order WHERE id = ${orderId}::uuid FOR UPDATE`;
    if (before === undefined || !from.includes(before.status)) {
      throw new Error(`illegal: ${before?.status} to ${to}`);
    }
    await tx.$executeRaw`
      UPDATE gold_order SET status = ${to}, manual_review_code = ${info.code ?? null},
        manual_review_reason = ${info.reason ?? null}, allocated_at = ${clock.now()}::timestamptz
      WHERE id = ${orderId}::uuid`;
    if (before.status === to) return;
    await tx.$executeRaw`
      INSERT INTO gold_order_event (id, order_id, from_status, to_status, cause, actor, at)
      VALUES (${random.uuid()}::uuid, ${orderId}::uuid, ${before.status}, ${to}, ${info.cause},
        ${info.actor}, ${clock.now()}::timestamptz)`;
  };

  const any = ['PENDING', 'PAID', 'RETRY_PENDING', 'ALLOCATED', 'MANUAL_REVIEW', 'FAILED'];

  return {
    settlement: {
      async lockOrder(tx, orderId) {
        const [row] = await tx.$queryRaw<Row[]>`
          SELECT id, user_id AS "userId", type, status, lock_ends_at AS "lockEndsAt",
            amount_paise AS "amountPaise"
          FROM gold_order WHERE id = ${orderId}::uuid FOR UPDATE`;
        if (row === undefined) throw new Error(`there is no order ${orderId}`);
        return { ...row, amountPaise: paise(row.amountPaise) };
      },
      async markPaid(tx, order, info) {
        await move(tx, order.id, ['PENDING', 'FAILED'], 'PAID', info);
        await enqueue(tx, { task: 'test.allocate', payload: { orderId: order.id } });
      },
      markFailed: (tx, order, info) => move(tx, order.id, ['PENDING'], 'FAILED', info),
      sendToReview: (tx, order, code, reason, info) =>
        move(tx, order.id, any, 'MANUAL_REVIEW', { ...info, code, reason }),
    },
    async place({ amountPaise = 100_000n, lockSeconds = 480, userId = random.uuid() } = {}) {
      const now = clock.now();
      const lockEndsAt = addSeconds(now, lockSeconds);
      const quoteId = random.uuid();
      const orderId = random.uuid();
      await insertUser(db, userId, now);
      await insertQuote(db, { id: quoteId, userId, amountPaise, now, lockEndsAt });
      await insertOrder(db, { id: orderId, userId, quoteId, amountPaise, lockEndsAt }, now);
      return { orderId, userId, amountPaise, lockEndsAt };
    },
    async state(orderId) {
      const [row] = await db.$queryRaw<Omit<OrderState, 'moves'>[]>`
        SELECT status, manual_review_code AS code, manual_review_reason AS reason,
          (SELECT count(*)::int FROM graphile_worker._private_jobs j
            WHERE j.payload ->> 'orderId' = o.id::text) AS allocations
        FROM gold_order o WHERE id = ${orderId}::uuid`;
      if (row === undefined) throw new Error(`there is no order ${orderId}`);
      const moves = await db.$queryRaw<{ move: string }[]>`
        SELECT from_status || '>' || to_status AS move FROM gold_order_event
        WHERE order_id = ${orderId}::uuid ORDER BY seq`;
      return { ...row, moves: moves.map(({ move }) => move) };
    },
    set: (orderId, status) =>
      inTransaction((tx) => move(tx, orderId, any, status, { cause: 'test', actor: 'worker' })),
    breakFor(times) {
      broken = times;
    },
  };
};
