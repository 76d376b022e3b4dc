import type { OpenGold } from '#test/support/open-gold.ts';
import { askUntilDecided } from '#test/support/ask-until-decided.ts';
import { createReviewedBuys } from '#test/support/reviewed-buys.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import { createSellers, newIdempotencyKey, type Seller } from '#test/support/sellers.ts';
import { dispute, placeAllocated, placeHeard, settleGold, type RacedBuy } from './buys.races.ts';
import { answerOf, createRace, type Operation } from './race.ts';

/** A customer with the gold of one buy, a second buy that is paid, and an account. */
interface Holder {
  readonly first: RacedBuy;
  readonly second: RacedBuy;
  readonly seller: Seller;
}

/** A sale whose confirm had no answer. */
interface RacedSale extends Seller {
  readonly saleId: string;
  readonly key: string;
}

const hold = async (open: OpenGold): Promise<Holder> => {
  const first = await placeAllocated(open);
  const second = await placeHeard(open, { userId: first.userId, call: first.call });
  const sellers = createSellers(open);
  const bankAccountId = await sellers.bankAccount(first.userId);
  const { call, grams, userId: id } = first;
  const seller = { id, call, grams, bankAccountId, providerUserId: '', investedPaise: 0n };
  return { first, second, seller };
};

const sellShare =
  (share: number): Operation<OpenGold, Holder> =>
  async (open, { seller }) => {
    const amount = (Math.floor(Number(seller.grams) * share * 10_000) / 10_000).toFixed(4);
    const key = newIdempotencyKey();
    const more = { idempotency_key: key };
    const sellers = createSellers(open);
    return answerOf(await askUntilDecided(() => sellers.sell(seller, amount, more)));
  };

const holdingRace = createRace<OpenGold, Holder>('sales', {
  name: 'a holding',
  prepare: hold,
  row: ({ first }) => ['SELECT 1 FROM holding WHERE user_id = $1::uuid FOR UPDATE', first.userId],
  operations: {
    'sale of all': sellShare(1),
    'sale of half': sellShare(0.5),
    'allocation of another buy': async (open, { second }) => {
      await open.allocate(second.id);
      return 'done';
    },
    'reversal of the buy': (open, { first }) => dispute(open, first),
    'quote and buy': async (_open, { first }) => {
      const body = { unit: 'INR', amount: '1000', idempotency_key: newIdempotencyKey() };
      return answerOf(await askUntilDecided(() => first.call('POST', '/gold/buy', body)));
    },
  },
  settle: settleGold,
  async state(open, { first, second, seller }) {
    const { db } = open.database;
    const { balance, reserved } = await createSellers(open).holdingOf(seller.id);
    const shares = (amount: string): string => (Number(amount) / Number(seller.grams)).toFixed(1);
    const [one, two] = await Promise.all(
      [first, second].map(({ id }) => db.goldOrder.findUniqueOrThrow({ where: { id } })),
    );
    const sales = await createSellers(open).salesOf(seller.id);
    const sold = sales
      .map(({ status }) => status)
      .toSorted()
      .join('+');
    return [
      `${one?.status} ${one?.manualReviewCode ?? ''}`.trim(),
      two?.status,
      `sales ${sold || 'none'}`,
      `holds ${shares(balance)}, reserved ${shares(reserved)}`,
    ].join('; ');
  },
});

const interrupt = async (open: OpenGold, providerSays: number): Promise<RacedSale> => {
  const sellers = createSellers(open);
  const seller = await sellers.newSeller();
  await open.fault('sell-confirm', 'error');
  const key = newIdempotencyKey();
  await sellers.sell(seller, '0.02', { idempotency_key: key });
  const [sale] = await sellers.salesOf(seller.id);
  if (sale?.providerTxId === undefined) throw new Error('there is no sale');
  await open.sandbox.control('POST', `/transactions/${sale.providerTxId}`, {
    status: providerSays,
  });
  // The sweep looks at it a minute after its last question.
  await open.advance(70);
  return { ...seller, saleId: sale.id, key };
};

const resolveSale =
  (resolution: string): Operation<OpenGold, RacedSale> =>
  async (open, { saleId }) =>
    answerOf(await createReviewedBuys(open).resolve(saleId, resolution));

const saleRace = (name: string, providerSays: number) =>
  createRace<OpenGold, RacedSale>('sales', {
    name,
    prepare: (open) => interrupt(open, providerSays),
    row: ({ saleId }) => ['SELECT 1 FROM gold_order WHERE id = $1::uuid FOR UPDATE', saleId],
    operations: {
      CONFIRM_SELL: resolveSale('CONFIRM_SELL'),
      RELEASE_SELL: resolveSale('RELEASE_SELL'),
      'poll of the provider': async (open) => {
        await runSweeps(open.gold.sweeps, 'selling-poll-undecided-sales');
        return 'done';
      },
      'same key again': async (open, seller) => {
        const more = { idempotency_key: seller.key };
        const sellers = createSellers(open);
        return answerOf(await askUntilDecided(() => sellers.sell(seller, '0.02', more)));
      },
      'another sale of the rest': async (open, seller) => {
        const rest = (Number(seller.grams) - 0.02).toFixed(4);
        const sellers = createSellers(open);
        return answerOf(await sellers.sell(seller, rest));
      },
    },
    settle: settleGold,
    async state(open, { id, saleId, grams }) {
      const { db } = open.database;
      const sellers = createSellers(open);
      const { balance, reserved } = await sellers.holdingOf(id);
      const sale = await db.goldOrder.findUniqueOrThrow({ where: { id: saleId } });
      const payouts = await db.payout.count({ where: { orderId: saleId } });
      const sold = (Number(grams) - Number(balance)).toFixed(2);
      return [
        [sale.status, sale.manualReviewCode].filter(Boolean).join(' '),
        `${payouts} payouts`,
        `${sold} g gone, ${Number(reserved).toFixed(2)} g reserved`,
      ].join('; ');
    },
    async rest(open, { saleId }) {
      if (providerSays === 1) await createReviewedBuys(open).resolve(saleId, 'CONFIRM_SELL');
    },
  });

export const saleRaces = [
  holdingRace,
  saleRace('a sale under review that the provider has bought', 1),
  saleRace('a sale under review that failed at the provider', 2),
];
