import { insertPayout, noHolds, type PayoutHolds } from '../../src/modules/payouts/index.ts';
import { paise } from '../../src/money/index.ts';
import type { Clock } from '../../src/platform/clock/clock.ts';
import type { Db, InTransaction } from '../../src/platform/db/index.ts';
import type { Random } from '../../src/platform/ids/random.ts';

interface Deps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly payoutHolds?: PayoutHolds;
}

interface Placed {
  readonly userId: string;
  readonly bankAccountId: string;
  readonly amountPaise: bigint;
}

export interface ConfirmedSells {
  /** A sell, CONFIRMED, without the way there, and its payout. */
  place(sell: Placed): Promise<{ orderId: string; payoutId: string }>;
  /** Its status and every move so far, such as `CONFIRMED>COMPLETED`. */
  state(orderId: string): Promise<{ status: string; moves: readonly string[] }>;
}

const insertQuote = (db: Db, id: string, { userId, amountPaise }: Placed, at: Date) =>
  db.goldQuote.create({
    data: {
      id,
      userId,
      kind: 'SELL',
      status: 'CONSUMED',
      unit: 'GRAMS',
      requestedAmount: '1',
      grams: '1',
      pricePerGramPaise: amountPaise,
      proceedsPaise: amountPaise,
      withheldPaise: 0n,
      provider: 'safegold',
      providerRateId: '1',
      providerPricePaise: amountPaise,
      expiresAt: at,
      consumedAt: at,
      createdAt: at,
      updatedAt: at,
    },
  });

const insertOrder = (
  db: Db,
  ids: { readonly id: string; readonly quoteId: string },
  { userId, bankAccountId, amountPaise }: Placed,
  at: Date,
) =>
  db.goldOrder.create({
    data: {
      ...ids,
      userId,
      bankAccountId,
      type: 'SELL',
      status: 'CONFIRMED',
      unit: 'GRAMS',
      amountPaise,
      grams: '1',
      pricePerGramPaise: amountPaise,
      proceedsPaise: amountPaise,
      withheldPaise: 0n,
      createdAt: at,
      updatedAt: at,
    },
  });

/** Sells as payouts meet them: confirmed, their grams gone; selling is tested elsewhere. */
export const createConfirmedSells = ({
  db,
  inTransaction,
  clock,
  random,
  payoutHolds = noHolds,
}: Deps): ConfirmedSells => ({
  place: (sell) =>
    inTransaction(async (tx) => {
      const [orderId, quoteId] = [random.uuid(), random.uuid()];
      const { userId, bankAccountId } = sell;
      await insertQuote(tx, quoteId, sell, clock.now());
      await insertOrder(tx, { id: orderId, quoteId }, sell, clock.now());
      const amountPaise = paise(sell.amountPaise);
      const payout = { userId, orderId, bankAccountId, amountPaise };
      return { orderId, payoutId: await insertPayout({ clock, random, payoutHolds }, tx, payout) };
    }),

  async state(orderId) {
    const { status } = await db.goldOrder.findUniqueOrThrow({ where: { id: orderId } });
    const events = await db.goldOrderEvent.findMany({
      where: { orderId },
      orderBy: { seq: 'asc' },
    });
    return {
      status,
      moves: events.map(({ fromStatus, toStatus }) => `${fromStatus ?? ''}>${toStatus}`),
    };
  },
});
