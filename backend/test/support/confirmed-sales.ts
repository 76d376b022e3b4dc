import { creditHolding, debitHolding, reserveGrams } from '../../src/modules/holdings/index.ts';
import { insertSellOrder, transitionSale } from '../../src/modules/orders/index.ts';
import { insertPayout, noHolds, type PayoutHolds } from '../../src/modules/payouts/index.ts';
import { recordUnintended } from '../../src/modules/provider-operations/index.ts';
import { grams, paise, UNITS_PER_GRAM } from '../../src/money/index.ts';
import type { Clock } from '../../src/platform/clock/clock.ts';
import type { Vault } from '../../src/platform/crypto/index.ts';
import type { Db, InTransaction } from '../../src/platform/db/index.ts';
import type { Logger, Metrics } from '../../src/platform/observability/index.ts';
import type { Random } from '../../src/platform/ids/random.ts';

interface Deps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly vault: Vault;
  readonly metrics: Pick<Metrics, 'countBoundReached' | 'countCall'>;
  readonly payoutHolds?: PayoutHolds;
}

interface Placed {
  readonly userId: string;
  readonly bankAccountId: string;
  readonly amountPaise: bigint;
}

export interface ConfirmedSales {
  /** A sale of one gram, CONFIRMED, and its payout. */
  place(sale: Placed): Promise<{ orderId: string; payoutId: string }>;
  /**
   * Its status and every transition since it was first confirmed, such as `CONFIRMED>COMPLETED`.
   */
  state(orderId: string): Promise<{ status: string; transitions: readonly string[] }>;
}

const oneGram = grams(UNITS_PER_GRAM);

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

const insertKey = (db: Db, orderId: string, userId: string, holderId: string, at: Date) =>
  db.idempotencyKey.create({
    data: {
      ownerId: userId,
      operation: 'gold.sell',
      key: `sell-${orderId}`,
      payloadHash: 'hash',
      status: 'DONE',
      holderId,
      leaseUntil: at,
      resourceId: orderId,
      createdAt: at,
    },
  });

/**
 * Makes sales as payouts meet them: confirmed, their gram debited, with the rows that the way there
 * leaves. The stores of the product write what they can. The provider's books know nothing of them,
 * so the orders name no transaction, and the gram that is sold has come with the sale itself.
 */
export const createConfirmedSales = (deps: Deps): ConfirmedSales => {
  const { db, inTransaction, clock, random, payoutHolds = noHolds } = deps;

  const insertSale = async (tx: Db, sale: Placed, at: Date): Promise<string> => {
    const { userId, bankAccountId } = sale;
    const [id, quoteId] = [random.uuid(), random.uuid()];
    const proceedsPaise = paise(sale.amountPaise);
    await insertQuote(tx, quoteId, sale, at);
    await insertSellOrder(tx, {
      id,
      quoteId,
      userId,
      bankAccountId,
      eventId: random.uuid(),
      requestId: random.uuid(),
      unit: 'GRAMS',
      grams: oneGram,
      pricePerGramPaise: proceedsPaise,
      proceedsPaise,
      withheldPaise: paise(0n),
      provider: 'safegold',
      providerRateId: '1',
      at,
    });
    await insertKey(tx, id, userId, random.uuid(), at);
    const gold = { userId, orderId: id, grams: oneGram, at };
    const credit = { ...gold, movementId: random.uuid(), investedPaise: proceedsPaise };
    await creditHolding(tx, credit);
    await reserveGrams(tx, gold);
    return id;
  };

  const confirm = async (tx: Db, orderId: string, { userId, amountPaise }: Placed, at: Date) => {
    const actor = `customer:${userId}` as const;
    const lease = { lockStartedAt: at, lockEndsAt: at };
    const verified = { to: 'VERIFIED', cause: 'test', actor, changes: lease } as const;
    await transitionSale(deps, tx, { id: orderId, status: 'PENDING' }, verified);
    const sale = {
      id: orderId,
      quoteId: null,
      userId,
      provider: 'safegold',
      providerTxId: `tx-${orderId}`,
      grams: oneGram,
      providerAmountPaise: paise(amountPaise),
      lockStartedAt: at,
    };
    await recordUnintended(tx, 'sell-confirm', sale, { id: random.uuid(), at });
    const confirmed = { to: 'CONFIRMED', cause: 'test', actor } as const;
    await transitionSale(deps, tx, { id: orderId, status: 'VERIFIED' }, confirmed);
    await debitHolding(tx, { movementId: random.uuid(), userId, orderId, grams: oneGram, at });
  };

  return {
    place: (sale) =>
      inTransaction(async (tx) => {
        const at = clock.now();
        const orderId = await insertSale(tx, sale, at);
        await confirm(tx, orderId, sale, at);
        const { userId, bankAccountId } = sale;
        const payout = { userId, orderId, bankAccountId, amountPaise: paise(sale.amountPaise) };
        const payoutId = await insertPayout({ ...deps, payoutHolds }, tx, payout);
        return { orderId, payoutId };
      }),

    async state(orderId) {
      const { status } = await db.goldOrder.findUniqueOrThrow({ where: { id: orderId } });
      const events = await db.goldOrderEvent.findMany({
        where: { orderId },
        orderBy: { seq: 'asc' },
      });
      return {
        status,
        transitions: events
          .slice(events.findIndex(({ toStatus }) => toStatus === 'CONFIRMED') + 1)
          .map(({ fromStatus, toStatus }) => `${fromStatus ?? ''}>${toStatus}`),
      };
    },
  };
};
