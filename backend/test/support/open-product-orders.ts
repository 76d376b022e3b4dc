import { createNotify } from '../../src/modules/notifications/index.ts';
import type { LivePriceReader } from '../../src/modules/price/index.ts';
import { createProductOrderCustomerRoutes } from '../../src/modules/product-orders/index.ts';
import { createTransactionCustomerRoutes } from '../../src/modules/transactions/index.ts';
import { paise, type Paise } from '../../src/money/index.ts';
import { AppError } from '../../src/platform/errors/app-error.ts';
import { bearerCaller, type Answer, type Caller } from './caller.ts';
import { createFactories, type Factories, type MadeAdmin } from './factories.ts';
import { idGuard } from './id-guard.ts';
import { asReplica, openServices } from './open-services.ts';
import { openTestSystem, type TestSystem } from './open-test-system.ts';
import { serveAdminApi } from './serve-apis.ts';

/** A 24 karat gram of INR 7,213.57 in every test that sets no other price. */
export const usualRate: Paise = paise(721_357n);

export const goodAddress = {
  name: 'Zubeida Qureshi',
  phone: '9876543210',
  line1: '12 MG Road',
  line2: 'Flat 4, ਗਲੀ 2',
  city: 'Bengaluru',
  state: 'Karnataka',
  pincode: '560001',
};

interface NewProduct {
  readonly pricingMode?: 'FIXED' | 'DYNAMIC';
  readonly pricePaise?: bigint;
  readonly name?: string;
  readonly inStock?: boolean;
  readonly isActive?: boolean;
  readonly weightGrams?: string;
  readonly makingChargeBps?: number;
  readonly discountBps?: number;
  /** The pieces that are left. Not counted unless given. */
  readonly stock?: number;
}

/** Product orders behind the routes of customers and operators. */
export interface OpenProductOrders {
  readonly system: TestSystem;
  readonly factories: Factories;
  /** Conditions that a test may change while it runs. Without a rate there is no live price. */
  readonly conditions: { rate24K: Paise | undefined };
  as(userId?: string): Caller;
  /** Fetches a file of the customers' routes. */
  fetch(userId: string, path: string): Promise<Response>;
  /** Publishes verified facts of the house. */
  publish(facts: Readonly<Record<string, string>>): Promise<void>;
  customer(): Promise<{ readonly userId: string; readonly phone: string; readonly call: Caller }>;
  operator(role?: MadeAdmin['role']): Promise<MadeAdmin & { readonly call: Caller }>;
  /** Adds a product and returns its id: of INR 1,000 before GST, or of 22 karat gold by weight. */
  product(changes?: NewProduct): Promise<string>;
  /** Orders one piece of each product. */
  order(call: Caller, productIds: readonly string[], more?: object): Promise<Answer>;
  /** Serves the customers' routes once more, as another process. */
  replica(changes: {
    readonly clients?: Partial<TestSystem>;
    /** True for the provider's price, in place of the one of `conditions`. */
    readonly usesLivePrice?: boolean;
    readonly maxOpenDeliveries?: number;
  }): Promise<(userId: string) => Caller>;
  close(): Promise<void>;
}

export const openProductOrders = async (): Promise<OpenProductOrders> => {
  const system = await openTestSystem();
  const { db, clock, random } = system;
  const factories = createFactories(system);
  const conditions: OpenProductOrders['conditions'] = { rate24K: usualRate };
  const usualPrice = {
    async livePrice() {
      const buyPaise = conditions.rate24K;
      if (buyPaise === undefined) throw new AppError('PRICE_UNAVAILABLE');
      // Of a price nothing but the buy price is read.
      return { buyPaise } as Awaited<ReturnType<LivePriceReader['livePrice']>>;
    },
  };
  const serve = async ({
    clients = {},
    usesLivePrice = false,
    maxOpenDeliveries = 20,
  }: Parameters<OpenProductOrders['replica']>[0]) => {
    const own = { ...system, ...clients };
    const services = openServices(own);
    const { limits, invoiceBound } = services;
    return system.serve({
      prefix: '/v1',
      routes: [
        ...createProductOrderCustomerRoutes({
          ...own,
          notify: createNotify(own),
          price: usesLivePrice ? services.price.live : usualPrice,
          limits,
          invoiceBound,
          maxOpenDeliveries,
        }),
        ...createTransactionCustomerRoutes({ db: own.db }),
      ],
      guard: idGuard,
    });
  };
  const url = await serve({});
  const signedIn = (userId: string): Caller => bearerCaller(url, userId);
  const adminApi = await serveAdminApi(system);

  return {
    system,
    factories,
    conditions,
    as: (userId = '') => signedIn(userId),
    async replica(changes) {
      const own = await serve({ ...changes, clients: asReplica(changes.clients) });
      return (userId) => bearerCaller(own, userId);
    },
    fetch: (userId, path) => fetch(url + path, { headers: { authorization: `Bearer ${userId}` } }),
    async publish(facts) {
      const rows = Object.entries(facts).map(([key, value]) => ({
        section: 'entity',
        key,
        value,
        verified: true,
        updatedAt: clock.now(),
      }));
      for (const { section, key, ...fact } of rows) {
        const id = { section_key: { section, key } };
        await db.legalField.upsert({
          where: id,
          create: { section, key, ...fact },
          update: fact,
        });
      }
    },
    async customer() {
      const { userId, phone } = await factories.customer();
      return { userId, phone, call: signedIn(userId) };
    },
    async operator(role = 'ADMIN') {
      const made = await factories.admin(role);
      return { ...made, call: bearerCaller(adminApi.url, made.token) };
    },
    async product({ stock, ...changes } = {}) {
      const [id, at] = [random.uuid(), clock.now()];
      const usual = {
        name: 'Plain band',
        category: 'RINGS',
        purityKarat: 22,
        weightGrams: '3.5',
        pricingMode: 'FIXED',
        pricePaise: 100_000n,
      };
      await db.product.create({ data: { ...usual, ...changes, id, createdAt: at, updatedAt: at } });
      if (stock !== undefined) {
        await db.productStock.create({ data: { productId: id, count: stock, updatedAt: at } });
      }
      return id;
    },
    order(call, productIds, more = {}) {
      const items = productIds.map((productId) => ({ productId, quantity: 1 }));
      return call('POST', '/product-orders', { items, shippingAddress: goodAddress, ...more });
    },
    close: () => system.close(),
  };
};
