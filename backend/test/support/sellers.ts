import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { UntypedAnswer, UntypedCaller } from './caller.ts';
import type { OpenGold } from './open-gold.ts';
import { runSweeps } from './run-sweeps.ts';

export interface Seller {
  readonly id: string;
  readonly providerUserId: string;
  readonly call: UntypedCaller;
  /** A verified account of the seller. */
  readonly bankAccountId: string;
  /** The grams that they hold, such as `0.0786`. */
  readonly grams: string;
  readonly investedPaise: bigint;
}

let keys = 0;
/** Returns an idempotency key that no other order of this run has. */
export const newIdempotencyKey = (): string => `sell-key-${(keys += 1)}-${process.pid}`;

/** Creates functions with which a test sets up sellers and sells for them. */
export const createSellers = (open: OpenGold) => {
  const { db } = open.database;

  const bankAccount = async (
    userId: string,
    more: { status?: string; deletedAt?: Date } = {},
  ): Promise<string> => {
    keys += 1;
    const at = open.clock.now();
    const id = `018f0000-0000-7000-8000-${String(keys).padStart(12, '0')}`;
    await db.bankAccount.create({
      data: {
        id,
        userId,
        status: 'VERIFIED',
        numberSealed: 'sealed',
        numberHash: `hash-${keys}`,
        accountLast4: '1234',
        ifsc: 'HDFC0000001',
        holderNameSealed: 'sealed',
        createdAt: at,
        updatedAt: at,
        ...more,
      },
    });
    return id;
  };

  /**
   * Buys gold for `amount` rupees, lets the sandbox capture the payment and allocates the order.
   */
  const buy = async (call: UntypedCaller, amount: string): Promise<void> => {
    const body = { unit: 'INR', amount, idempotency_key: newIdempotencyKey() };
    const placed = await call('POST', '/gold/buy', body);
    expect(placed.status).toBe(201);
    const { order, payment } = placed.body;
    const path = `/payments/${payment.gateway_order_id}`;
    await open.sandbox.control('POST', path, { outcome: 'captured' });
    const statusNow = async () => (await call('GET', `/gold/orders/${order.id}`)).body.status;
    await eventually(async () => (await statusNow()) === 'PAID');
    await open.allocate(order.id);
    expect(await statusNow()).toBe('ALLOCATED');
  };

  const holdingOf = async (userId: string) => {
    const row = await db.holding.findUniqueOrThrow({ where: { userId } });
    return {
      balance: row.balance.toFixed(4),
      reserved: row.reserved.toFixed(4),
      investedPaise: row.investedPaise,
    };
  };

  return {
    bankAccount,
    buy,
    holdingOf,

    async gramsOf(userId: string) {
      const { balance, reserved } = await holdingOf(userId);
      return { balance, reserved };
    },

    async newSeller(rupees = '1000'): Promise<Seller> {
      const customer = await open.newCustomer();
      await buy(customer.call, rupees);
      const bankAccountId = await bankAccount(customer.id);
      const { balance: grams, investedPaise } = await holdingOf(customer.id);
      return { ...customer, bankAccountId, grams, investedPaise };
    },

    /** Sells grams with `POST /gold/sell` and returns the answer, whatever its status. */
    sell: (seller: Seller, amount: string, more: object = {}): Promise<UntypedAnswer> =>
      seller.call('POST', '/gold/sell', {
        unit: 'GRAMS',
        amount,
        bank_account_id: seller.bankAccountId,
        idempotency_key: newIdempotencyKey(),
        ...more,
      }),

    /** Lists a customer's sell orders as the database has them, oldest first. */
    salesOf: (userId: string) =>
      db.goldOrder.findMany({
        where: { userId, type: 'SELL' },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      }),

    /** Every state that an order has been in. */
    async historyOf(orderId: string): Promise<string[]> {
      const rows = await db.goldOrderEvent.findMany({
        where: { orderId },
        orderBy: { seq: 'asc' },
      });
      return rows.map(({ toStatus }) => toStatus);
    },

    /** Returns a customer's balance at the provider, in grams. */
    async atProvider(seller: Seller): Promise<string> {
      const { body } = await open.sandbox.safegold('GET', `/v1/users/${seller.providerUserId}`);
      return String(body['gold_balance']);
    },

    runSweep: (name: string): Promise<void> => runSweeps(open.gold.sweeps, name),
  };
};

export type Sellers = ReturnType<typeof createSellers>;
