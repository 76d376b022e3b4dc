import { tmpdir } from 'node:os';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { environmentOf } from '../../src/apps/dev/environment.ts';
import { createRandom } from '../../src/platform/ids/random.ts';
import { serverBundle } from '../support/build-servers.ts';
import { openStack, type BenchStack } from '../support/open-stack.ts';
import type { Report } from '../support/report.ts';
import { createBareCalls, readCalls, type RecordedCalls } from './bare-calls.ts';
import { createClientSql, createDriverSql, type BareSql } from './bare-sql.ts';
import { createBuyClient } from './buy-client.ts';
import { tableOf, type Sample } from './buys-table.ts';
import { makeCustomers, type BenchCustomer } from './make-customers.ts';
import { recordBuy, type RecordedBuy } from './record-buy.ts';
import { runTogether } from './run-together.ts';
import { scriptFor, type BuyNames, type Statement } from './sql-script.ts';

const customersCount = 200;
const rounds = 7;
const piecesOfRound = 160;
const concurrencies = [8, 16] as const;
/** Of every process of the service too, unless it is told otherwise. */
const poolSize = 10;

interface World {
  readonly stack: BenchStack;
  readonly customers: readonly BenchCustomer[];
  readonly recorded: RecordedBuy;
  readonly sandboxUrl: string;
  readonly customerUrl: string;
}

const record = async (stack: BenchStack, customers: readonly BenchCustomer[]) => {
  const folder = mkdtempSync(join(tmpdir(), 'digital-gold-bench-'));
  const file = join(folder, 'statements');
  const recording = await stack.start('customer', {
    change: (env) => ({ ...env, RECORD_SQL: file }),
    nodeOptions: ['--import', serverBundle('record-sql')],
  });
  const client = createBuyClient(recording.url);
  let at = 0;
  const recorded = await recordBuy(file, () => {
    at += 1;
    const customer = customers[at % customers.length];
    if (customer === undefined) throw new Error('there are no customers');
    return client.buy(customer, `record-${at}`);
  });
  await client.close();
  await recording.kill();
  rmSync(folder, { recursive: true });
  return recorded;
};

const openWorld = async (stack: BenchStack): Promise<World> => {
  const sandbox = await stack.start('sandbox');
  const customers = await makeCustomers(stack, customersCount);
  const recorded = await record(stack, customers);
  const customer = await stack.start('customer');
  return { stack, customers, recorded, sandboxUrl: sandbox.url, customerUrl: customer.url };
};

type Piece = (customer: BenchCustomer, key: string) => Promise<void>;

/** The sides by name, each as one piece of work. */
const createSides = (world: World) => {
  const { stack, recorded } = world;
  const random = createRandom();
  const { databaseUrl } = stack.addresses;
  const client = createBuyClient(world.customerUrl);
  const calls = createBareCalls(world.sandboxUrl, environmentOf('customer', stack.addresses));
  const [clientSql, driverSql] = [createClientSql, createDriverSql].map((create) =>
    create(databaseUrl, poolSize),
  ) as [BareSql, BareSql]; // one for each
  const script = scriptFor(recorded.statements, recorded.names);
  let asked: RecordedCalls | undefined;

  const scriptOf = ({ userId, phone }: BenchCustomer, key: string): readonly Statement[] => {
    const [providerTxId, gatewayOrderId] = [`tx-${key}`, `order-${key}`];
    const names: BuyNames = { userId, phone, key, requestId: key, providerTxId, gatewayOrderId };
    return script(names, () => random.uuid());
  };
  const withCalls: Piece = async (customer, key) => {
    const recordedCalls = asked;
    if (recordedCalls === undefined) throw new Error('no call was recorded');
    await clientSql.run(scriptOf(customer, key), (at) =>
      at === 'before'
        ? calls.verify(recordedCalls, customer.providerUserId)
        : calls.openOrder(recordedCalls, random.uuid()),
    );
  };
  const sides: Readonly<Record<string, Piece>> = {
    'POST /gold/buy': async (customer, key) => void (await client.buy(customer, key)),
    'its SQL, by the client': (customer, key) => clientSql.run(scriptOf(customer, key)),
    'its SQL and its two calls': withCalls,
    'its SQL, by pg alone': (customer, key) => driverSql.run(scriptOf(customer, key)),
  };
  return {
    sides,
    /** Rates live for minutes: the bare calls name the one of a buy just now. */
    refresh: async () => {
      asked = await readCalls(world.sandboxUrl);
    },
    close: () => Promise.all([client, calls, clientSql, driverSql].map((one) => one.close())),
  };
};

const measure = async (world: World): Promise<Sample[]> => {
  const { sides, refresh, close } = createSides(world);
  const samples: Sample[] = [];
  for (let round = -1; round < rounds; round += 1) {
    for (const concurrency of concurrencies) {
      for (const [side, piece] of Object.entries(sides)) {
        const result = await runTogether(piecesOfRound, concurrency, async (index) => {
          const customer = world.customers[index % world.customers.length];
          if (customer !== undefined) {
            await piece(customer, `${side.length}-${round}-${concurrency}-${index}-key`);
          }
        });
        await refresh();
        // The round before the first warms everything up.
        if (round >= 0) samples.push({ side, concurrency, ...result });
      }
    }
  }
  await close();
  return samples;
};

/** Buys, whole, beside the same statements sent by nothing but the database client. */
export const buys = async (): Promise<Report> => {
  const stack = await openStack();
  try {
    const world = await openWorld(stack);
    const samples = await measure(world);
    const { statements } = world.recorded;
    return {
      how: [
        `${rounds} rounds of ${piecesOfRound} buys for each side in turns, of ${customersCount}`,
        `customers. A buy sends ${statements.length} statements (recorded from the driver); they are`,
        'sent again by the same client (raw, in the same transaction), with the same pool of',
        `${poolSize} connections, to the same database, which writes to the disk at each commit. The`,
        'provider and the gateway are the sandbox, which answers at once, on the same two cores.',
        'Ratios are medians of the ratios within a round.',
      ],
      tables: concurrencies.map((concurrency) => tableOf(samples, concurrency)),
      samples: { samples, statements: statements.map(({ text }) => text) },
    };
  } finally {
    await stack.stop();
  }
};
