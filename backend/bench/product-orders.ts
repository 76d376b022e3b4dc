import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { withConnection } from '../dev/stack/database-setup.ts';
import type { ProcessEnvironment } from '../dev/stack/environment.ts';
import { makeCustomers, type BenchCustomer } from './buys/make-customers.ts';
import { runTogether } from './buys/run-together.ts';
import { serverBundle } from './support/build-servers.ts';
import { createClientAddresses } from './support/client-addresses.ts';
import { keepPriceLive } from './support/keep-price-live.ts';
import { openStack, type BenchStack, type RunningApp } from './support/open-stack.ts';
import { cpuMsOf } from './support/process-usage.ts';
import { productionEnvironment } from './support/production-environment.ts';
import type { Report, Table } from './support/report.ts';
import { median, medianRatio } from './support/statistics.ts';

const customersCount = 100;
const rounds = 7;
const ordersPerRound = 400;
const concurrency = 8;
/** The aim, in orders for each second of one core's time. */
const aim = 270;

interface Side extends RunningApp {
  readonly name: string;
}

interface Sample {
  readonly ordersPerSecond: number;
  readonly p50Ms: number;
  readonly cpuMs: number;
}

/**
 * Raises the limit of open deliveries, since a customer places more orders in a round than the
 * limit allows.
 */
const orderEnvironment = (env: ProcessEnvironment): ProcessEnvironment => ({
  ...productionEnvironment(env),
  OPEN_DELIVERIES_PER_CUSTOMER: '100000',
});

const raiseLimit = (stack: BenchStack): Promise<void> =>
  withConnection(stack.addresses.migrateUrl, async (client) => {
    await client.query(
      `INSERT INTO limits_setting (id, min_buy_paise, max_buy_paise, daily_buy_paise,
         min_sell_paise, max_sell_paise, min_sip_paise, max_sip_paise, delivery_fee_paise,
         free_delivery_from_paise, max_open_delivery_paise, updated_at)
       VALUES (1, 1000, 20000000, 50000000, 1000, 50000000, 1000, 10000000, 9900, 500000,
         100000000000, now())
       ON CONFLICT (id) DO UPDATE SET max_open_delivery_paise = 100000000000`,
    );
  });

/** Adds a product of a fixed price, and a product whose price follows the gold price. */
const addProducts = (stack: BenchStack): Promise<string[]> =>
  withConnection(stack.addresses.migrateUrl, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `INSERT INTO product (id, name, category, purity_karat, weight_grams, pricing_mode,
         making_charge_bps, discount_bps, price_paise, created_at, updated_at)
       SELECT gen_random_uuid(), 'Plain band', 'RINGS', 22, 3.5, mode, 1250, 1000, 100000, now(),
         now() FROM unnest(ARRAY['FIXED', 'DYNAMIC']) AS mode RETURNING id`,
    );
    return rows.map(({ id }) => id);
  });

const shippingAddress = {
  name: 'Asha Rao',
  phone: '+919876543210',
  line1: '12 MG Road',
  line2: 'Flat 4',
  city: 'Bengaluru',
  state: 'Karnataka',
  pincode: '560001',
};

const createOrderClient = (productIds: readonly string[]) => {
  const agent = new Agent({ connections: 64, pipelining: 1 });
  const addresses = createClientAddresses();
  const items = productIds.map((productId) => ({ productId, quantity: 2 }));
  let made = 0;
  return {
    /** Sends `POST /product-orders` with a new key, from another address each time. */
    async order(
      { url }: Pick<Side, 'url'>,
      { userId, sessionId, token }: BenchCustomer,
    ): Promise<void> {
      made += 1;
      const idempotencyKey = `bench-order-${made}`;
      const response = await request(`${url}/v1/product-orders`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'x-forwarded-for': addresses.next(),
        },
        // The service reads the customer from the token and ignores these two ids, which are for
        // the bare handler.
        body: JSON.stringify({ userId, sessionId, items, shippingAddress, idempotencyKey }),
        dispatcher: agent,
      });
      const text = await response.body.text();
      if (response.statusCode !== 201) throw new Error(`${response.statusCode} ${text}`);
    },
    close: () => agent.close(),
  };
};

type OrderClient = ReturnType<typeof createOrderClient>;

/** Counts the statements of one order, as the driver gets them. */
const countStatements = async (
  stack: BenchStack,
  client: OrderClient,
  customer: BenchCustomer,
): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), 'digital-gold-bench-'));
  const file = join(folder, 'statements');
  const recording = await stack.start('customer', {
    change: (env) => ({ ...orderEnvironment(env), RECORD_SQL: file }),
    nodeOptions: ['--import', serverBundle('record-sql')],
  });
  const linesOf = (): string[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) =>
        /product|app_user|statutory|user_data_key|advisory|setting_version|BEGIN|COMMIT/u.test(
          line,
        ),
      );
  // The first order also reads the customer's key and the limits.
  await client.order(recording, customer);
  const before = linesOf().length;
  await client.order(recording, customer);
  const count = linesOf().length - before;
  await recording.kill();
  rmSync(folder, { recursive: true });
  return count;
};

const measure = async (
  sides: readonly Side[],
  client: OrderClient,
  customers: readonly BenchCustomer[],
): Promise<Map<string, Sample[]>> => {
  const samples = new Map<string, Sample[]>();
  for (let round = -1; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const cpuBefore = cpuMsOf(side.pid);
      const { msEach, p50Ms } = await runTogether(ordersPerRound, concurrency, async (index) => {
        const customer = customers[index % customers.length];
        if (customer !== undefined) await client.order(side, customer);
      });
      const cpuMs = (cpuMsOf(side.pid) - cpuBefore) / ordersPerRound;
      const sample = { ordersPerSecond: 1000 / msEach, p50Ms, cpuMs };
      // Round -1 warms everything up and is not counted.
      if (round >= 0) samples.set(side.name, [...(samples.get(side.name) ?? []), sample]);
    }
  }
  return samples;
};

const tableOf = (samples: ReadonlyMap<string, readonly Sample[]>): Table => {
  const of = (name: string, figure: keyof Sample): number[] =>
    (samples.get(name) ?? []).map((sample) => sample[figure]);
  const names = [...samples.keys()];
  const bare = names.at(-1) ?? '';
  return {
    title: `medians; the aim is ${aim} orders for a core's second`,
    columns: ['', 'orders/s', 'p50 ms', 'CPU ms', 'orders/core-s', 'CPU of bare'],
    rows: names.map((name) => [
      name,
      median(of(name, 'ordersPerSecond')),
      median(of(name, 'p50Ms')),
      median(of(name, 'cpuMs')),
      1000 / median(of(name, 'cpuMs')),
      medianRatio(of(name, 'cpuMs'), of(bare, 'cpuMs')),
    ]),
  };
};

/**
 * Measures the placing of jewellery orders beside a bare handler that sends the same statements.
 */
export const productOrders = async (): Promise<Report> => {
  const stack = await openStack();
  const stopFeeding = await keepPriceLive(stack.addresses.databaseUrl);
  try {
    await stack.start('sandbox');
    const customers = await makeCustomers(stack, customersCount, productionEnvironment);
    const [first] = customers;
    if (first === undefined) throw new Error('there are no customers');
    await raiseLimit(stack);
    const client = createOrderClient(await addProducts(stack));
    const statements = await countStatements(stack, client, first);
    const sides = [
      {
        name: 'POST /product-orders',
        ...(await stack.start('customer', { change: orderEnvironment })),
      },
      {
        name: 'bare, the same statements',
        ...(await stack.startServer('order-floor', { DATABASE_URL: stack.addresses.databaseUrl })),
      },
    ];
    const samples = await measure(sides, client, customers);
    await client.close();
    return {
      how: [
        `${rounds} rounds of ${ordersPerRound} orders for each side in turns, ${concurrency} at a time, of`,
        `${customersCount} customers; two lines each, one of a fixed price and one that follows the`,
        `gold price. An order sends ${statements} statements. The customer API runs as in production`,
        "with a live price at hand. CPU is the processor time of the side's process alone.",
      ],
      tables: [tableOf(samples)],
      samples: Object.fromEntries(samples),
    };
  } finally {
    await stopFeeding();
    await stack.stop();
  }
};
