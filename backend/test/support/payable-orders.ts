import { Client } from 'pg';
import { buyStatuses, type BuyStatus, type Orders } from '../../src/modules/orders/index.ts';
import { addSeconds, type Clock } from '../../src/platform/clock/clock.ts';
import type { Database, Db } from '../../src/platform/db/index.ts';
import type { Random } from '../../src/platform/ids/random.ts';

interface OrderState {
  readonly status: string;
  readonly code: string | null;
  readonly reason: string | null;
  /** Every transition so far, such as `PENDING>PAID`. */
  readonly moves: readonly string[];
  /** Allocations that are queued. */
  readonly allocations: number;
}

export interface PayableOrders {
  /** Inserts a buy that waits for its payment; the price lock lasts `lockSeconds` (480). */
  place(order?: {
    amountPaise?: bigint;
    lockSeconds?: number;
    userId?: string;
  }): Promise<{ orderId: string; userId: string; amountPaise: bigint; lockEndsAt: Date }>;
  state(orderId: string): Promise<OrderState>;
  /** Changes an order's state as the worker would. */
  set(orderId: string, status: BuyStatus): Promise<void>;
  /** Makes the database refuse the next so many updates of gold orders. */
  breakFor(times: number): Promise<void>;
  close(): Promise<void>;
}

interface Deps {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly orders: Orders;
  readonly migrateUrl: string;
}

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

/**
 * Refuses updates of gold orders while the sequence has numbers left below zero: a sequence keeps
 * its count when the transaction that was refused rolls back, which a row would not.
 */
const installBreaker = (owner: Client) =>
  owner.query(`
    CREATE SEQUENCE test_break MINVALUE -1000 START 1;
    CREATE FUNCTION refuse_while_broken() RETURNS trigger SECURITY DEFINER LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('public.test_break') <= 0 THEN
        RAISE EXCEPTION 'gold orders are broken for now';
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER refuse_while_broken BEFORE UPDATE ON gold_order
      FOR EACH ROW EXECUTE FUNCTION refuse_while_broken();`);

/** Inserts orders with the least that being paid for needs, and reads what became of them. */
export const createPayableOrders = async (deps: Deps): Promise<PayableOrders> => {
  const { clock, random } = deps;
  const { db, inTransaction } = deps.database;
  const owner = new Client({ connectionString: deps.migrateUrl });
  await owner.connect();
  await installBreaker(owner);

  return {
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
    set: (orderId, to) =>
      inTransaction(async (tx) => {
        const order = await tx.goldOrder.findUniqueOrThrow({ where: { id: orderId } });
        const status = buyStatuses.find((known) => known === order.status);
        if (status === undefined) throw new Error(`order ${orderId} is no buy`);
        const changes = to === 'ALLOCATED' ? { allocatedAt: clock.now() } : {};
        await deps.orders.transitionBuy(
          tx,
          { id: orderId, status },
          { to, cause: 'test', actor: 'worker', changes },
        );
      }),
    async breakFor(times) {
      await owner.query(`SELECT setval('test_break', ${1 - times}, false)`);
    },
    close: () => owner.end(),
  };
};
