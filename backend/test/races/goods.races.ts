import type { SignedInPerson } from '#test/support/open-customer-api.ts';
import { newKey, newProduct, orderBody, type Ground, type Shopped } from './people.races.ts';
import { answerOf, createRace, type Operation } from './race.ts';

/** A product of which one piece is left, and two customers who want it. */
interface LastPiece extends Shopped {
  readonly rival: SignedInPerson;
}

const countTwo = async ({ system: { db, clock } }: Ground, productId: string): Promise<void> => {
  await db.productStock.create({ data: { productId, count: 2, updatedAt: clock.now() } });
};

/** One of two pieces is ordered. */
const lastPiece = async (open: Ground): Promise<LastPiece> => {
  const person = await open.person();
  const rival = await open.person();
  const productId = await newProduct(open);
  await countTwo(open, productId);
  const body = orderBody(person, productId);
  const placed = await person.call('POST', '/product-orders', body);
  return { id: String(placed.body['id']), productId, person, body, rival };
};

const orderOf =
  (who: (subject: LastPiece) => SignedInPerson): Operation<Ground, LastPiece> =>
  async (_open, subject) => {
    const body = orderBody(who(subject), subject.productId);
    return answerOf(await who(subject).call('POST', '/product-orders', body));
  };

const stockRace = createRace<Ground, LastPiece>('people', {
  name: 'a product of which one piece is left',
  prepare: lastPiece,
  row: ({ productId }) => [
    'SELECT 1 FROM product_stock WHERE product_id = $1::uuid FOR UPDATE',
    productId,
  ],
  operations: {
    order: orderOf(({ person }) => person),
    'order of another': orderOf(({ rival }) => rival),
    'cancel by its customer': async (_open, { id, person }) =>
      answerOf(await person.call('POST', `/product-orders/${id}/cancel`)),
    'cancel by an operator': async (open, { id }) =>
      answerOf(
        await open.operator('PATCH', `/product-orders/${id}/status`, { status: 'CANCELLED' }),
      ),
    'new count': async (open, { productId }) => {
      await open.system.db.productStock.update({ where: { productId }, data: { count: 5 } });
      return 'done';
    },
  },
  settle: (open) => open.drain(),
  async state({ system: { db } }, { productId, person, rival }) {
    const stock = await db.productStock.findUniqueOrThrow({ where: { productId } });
    const orders = await db.productOrder.groupBy({
      by: ['status'],
      where: { userId: { in: [person.userId, rival.userId] } },
      _count: true,
      orderBy: { status: 'asc' },
    });
    const ends = orders.map(({ status, _count: number }) => `${status} x${number}`).join(' ');
    return `${stock.count} left; ${ends}`;
  },
});

/** A customer with gold, and the account that a sale of it is to be paid to. */
const accountRace = createRace<Ground, SignedInPerson>('people', {
  name: 'the account that a sale is paid to',
  async prepare(open) {
    const person = await open.knownPerson();
    await open.buy(person, '1000');
    return person;
  },
  row: ({ bankAccountId }) => [
    'SELECT 1 FROM bank_account WHERE id = $1::uuid FOR UPDATE',
    bankAccountId,
  ],
  operations: {
    sale: async (_open, { call, bankAccountId }) => {
      const body = { unit: 'GRAMS', amount: '0.02', bank_account_id: bankAccountId };
      return answerOf(await call('POST', '/gold/sell', { ...body, idempotency_key: newKey() }));
    },
    'account removed': async (_open, { call, bankAccountId }) =>
      answerOf(await call('DELETE', `/bank-accounts/${bankAccountId}`)),
    'made primary': async (_open, { call, bankAccountId }) =>
      answerOf(await call('PATCH', `/bank-accounts/${bankAccountId}/primary`)),
  },
  settle: (open) => open.drain(),
  async state({ system: { db } }, { userId, bankAccountId }) {
    // The payout may be paid by then, or not yet: the provider needs half a second.
    const sales = await db.goldOrder.count({
      where: { userId, type: 'SELL', status: { in: ['CONFIRMED', 'COMPLETED'] } },
    });
    const payouts = await db.payout.count({ where: { userId } });
    const account = await db.bankAccount.findUniqueOrThrow({ where: { id: bankAccountId } });
    const there = account.deletedAt === null ? 'account there' : 'account gone';
    return `${sales} sold; ${payouts} payouts; ${there}`;
  },
});

export const goodsRaces = [stockRace];

export const accountRaces = [accountRace];
