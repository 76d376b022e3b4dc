import type { OpenCustomerApi, SignedInPerson } from '#test/support/open-customer-api.ts';
import { createRandom } from '../../src/platform/ids/random.ts';
import { answerOf, createRace, type Operation } from './race.ts';

export type Ground = OpenCustomerApi & { readonly databaseUrl: string };

/** The same opened system, with its address in the field that the runner of races reads. */
export const groundOf = (open: OpenCustomerApi): Ground => ({
  ...open,
  databaseUrl: open.system.addresses.databaseUrl,
});

/** A customer who has requested the code of a deletion. */
interface Leaving extends SignedInPerson {
  readonly otp: string;
  readonly productId: string;
  readonly referralCode: string;
}
type LeavingOperation = Operation<Ground, Leaving>;

const random = createRandom();
let keys = 0;
export const newKey = (): string => `race-${process.pid}-${(keys += 1)}`;

export const newProduct = async ({
  system: { db, random, clock },
}: OpenCustomerApi): Promise<string> => {
  const [id, createdAt] = [random.uuid(), clock.now()];
  const gold = { category: 'RINGS', purityKarat: 22, weightGrams: '3.5' };
  const price = { pricingMode: 'FIXED', pricePaise: 100_000n };
  await db.product.create({
    data: { id, name: 'Plain band', ...gold, ...price, createdAt, updatedAt: createdAt },
  });
  return id;
};

const leave = async (open: Ground): Promise<Leaving> => {
  const person = await open.knownPerson();
  const friend = await open.person();
  const { code } = (await friend.call('GET', '/referrals/me')).body;
  await person.call('POST', '/users/me/deletion/request');
  const otp = await open.codeOf(person.phone);
  return { ...person, otp, productId: await newProduct(open), referralCode: String(code) };
};

const remove: LeavingOperation = async (_open, { call, otp }) =>
  answerOf(
    await call('POST', '/users/me/deletion/confirm', {
      otp,
      confirmation: 'DELETE',
      forfeitGold: false,
    }),
  );

const post =
  (path: string, body: (person: Leaving) => object): LeavingOperation =>
  async (_open, person) =>
    answerOf(await person.call('POST', path, body(person)));

const order: LeavingOperation = post(
  '/product-orders',
  ({ productId, fullName, phone, pincode }) => ({
    items: [{ productId, quantity: 1 }],
    shippingAddress: {
      name: fullName,
      phone,
      line1: '12',
      city: 'Kochi',
      state: 'Kerala',
      pincode,
    },
    idempotencyKey: newKey(),
  }),
);

const count = async ({ system: { db } }: Ground, { userId }: Leaving): Promise<string> => {
  const where = { userId };
  const [user, orders, plans, accounts, shop, rewards] = await Promise.all([
    db.user.findUniqueOrThrow({ where: { id: userId } }),
    db.goldOrder.count({ where }),
    db.sipPlan.findMany({ where }),
    db.bankAccount.count({ where: { userId, deletedAt: null } }),
    db.productOrder.count({ where }),
    db.referral.count({ where: { refereeUserId: userId } }),
  ]);
  return [
    user.deletedAt === null ? 'there' : 'gone',
    `${orders} orders`,
    `plans ${
      plans
        .map(({ status }) => status)
        .toSorted()
        .join('+') || 'none'
    }`,
    `${accounts} accounts`,
    `${shop} in the shop`,
    `${rewards} referrals`,
  ].join('; ');
};

const leavingRace = createRace<Ground, Leaving>('people', {
  name: 'a customer who leaves',
  prepare: leave,
  row: ({ userId }) => ['SELECT 1 FROM app_user WHERE id = $1::uuid FOR UPDATE', userId],
  operations: {
    deletion: remove,
    buy: post('/gold/buy', () => ({ unit: 'INR', amount: '1000', idempotency_key: newKey() })),
    plan: post('/gold/sip', () => ({
      amount_inr: '500.00',
      frequency: 'MONTHLY',
      duration_installments: 12,
      idempotency_key: newKey(),
    })),
    'order of jewellery': order,
    'another account': post('/bank-accounts', ({ fullName }) => ({
      accountNumber: `5${random.digits(9)}0000`,
      ifsc: 'HDFC0001234',
      holderName: fullName,
    })),
    referral: post('/referrals/apply', ({ referralCode: code }) => ({ code })),
    'account removed': async (_open, { call, bankAccountId }) =>
      answerOf(await call('DELETE', `/bank-accounts/${bankAccountId}`)),
  },
  settle: (open) => open.drain(),
  state: count,
  also: {
    // The second one was let in before the first one ended, which used the code.
    'deletion + deletion': [
      '200, 401 INVALID_OTP: gone; 0 orders; plans none; 0 accounts; 0 in the shop; 0 referrals',
    ],
  },
});

/** An order of jewellery, and the product that it is of. */
export interface Shopped {
  readonly id: string;
  readonly productId: string;
  readonly person: SignedInPerson;
  readonly body: object;
}
type ShopOperation = Operation<Ground, Shopped>;

export const orderBody = (person: SignedInPerson, productId: string): object => ({
  items: [{ productId, quantity: 1 }],
  shippingAddress: {
    name: person.fullName,
    phone: person.phone,
    line1: '12',
    city: 'Kochi',
    state: 'Kerala',
    pincode: person.pincode,
  },
  idempotencyKey: newKey(),
});

const shop = async (open: Ground): Promise<Shopped> => {
  const person = await open.person();
  const productId = await newProduct(open);
  const body = orderBody(person, productId);
  const placed = await person.call('POST', '/product-orders', body);
  return { id: String(placed.body['id']), productId, person, body };
};

const setStatus =
  (status: string): ShopOperation =>
  async (open, { id }) =>
    answerOf(await open.operator('PATCH', `/product-orders/${id}/status`, { status }));

const shopRace = (
  name: string,
  prepare: (open: Ground) => Promise<Shopped>,
  operations: Readonly<Record<string, ShopOperation>>,
) =>
  createRace<Ground, Shopped>('people', {
    name,
    prepare,
    row: ({ id }) => ['SELECT 1 FROM product_order WHERE id = $1::uuid FOR UPDATE', id],
    operations,
    settle: (open) => open.drain(),
    async state({ system: { db } }, { id, person }) {
      const found = await db.productOrder.findUniqueOrThrow({
        where: { id },
        include: { events: { orderBy: { seq: 'asc' } } },
      });
      const orders = await db.productOrder.count({ where: { userId: person.userId } });
      return `${found.events.map(({ toStatus }) => toStatus).join('>')}; ${orders} orders`;
    },
  });

const confirmed = async (open: Ground): Promise<Shopped> => {
  const made = await shop(open);
  await setStatus('CONFIRMED')(open, made);
  return made;
};

const again: ShopOperation = async (_open, { person, body }) =>
  answerOf(await person.call('POST', '/product-orders', body));
const reprice: ShopOperation = async ({ system: { db } }, { productId: id }) => {
  await db.product.update({ where: { id }, data: { pricePaise: 123_456n } });
  return 'done';
};
const anotherOrder: ShopOperation = async (_open, { person, productId }) =>
  answerOf(await person.call('POST', '/product-orders', orderBody(person, productId)));

export const peopleRaces = [leavingRace];

export const shopRaces = [
  shopRace('an order of jewellery that was placed', shop, {
    confirm: setStatus('CONFIRMED'),
    cancel: setStatus('CANCELLED'),
    'same key again': again,
    'another order': anotherOrder,
    reprice,
  }),
  shopRace('an order of jewellery that is confirmed', confirmed, {
    pack: setStatus('PACKED'),
    cancel: setStatus('CANCELLED'),
    'same key again': again,
  }),
];
