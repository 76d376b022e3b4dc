import { environmentOf } from '../../dev/stack/environment.ts';
import { createRandom } from '../../src/platform/ids/random.ts';
import { createBareCalls, readCalls, type RecordedCalls } from './bare-calls.ts';
import { createClientSql, createDriverSql } from './bare-sql.ts';
import { createBuyClient } from './buy-client.ts';
import type { BenchCustomer } from './make-customers.ts';
import type { BuyBenchmark, Distance } from './open-buy-benchmark.ts';
import { scriptFor, type BuyNames, type Statement } from './sql-script.ts';

type Buy = (customer: BenchCustomer, key: string) => Promise<void>;

/** Creates the sides by name. Each does one buy, with the database near or a millisecond away. */
export const createSides = (benchmark: BuyBenchmark, poolSize: number, distance: Distance) => {
  const { stack, recorded } = benchmark;
  const random = createRandom();
  const databaseUrl = benchmark.databaseUrls[distance];
  const urls = benchmark.customerUrls[distance];
  const client = createBuyClient(urls.now);
  const earlierClient = urls.before === undefined ? undefined : createBuyClient(urls.before);
  const calls = createBareCalls(benchmark.sandboxUrl, environmentOf('customer', stack.addresses));
  const clientSql = createClientSql(databaseUrl, poolSize);
  const driverSql = createDriverSql(databaseUrl, poolSize);
  const script = scriptFor(recorded.statements, recorded.names);
  let lastCalls: RecordedCalls | undefined;

  const scriptOf = ({ userId, phone }: BenchCustomer, key: string): readonly Statement[] => {
    const [providerTxId, gatewayOrderId] = [`tx-${key}`, `order-${key}`];
    const names: BuyNames = { userId, phone, key, requestId: key, providerTxId, gatewayOrderId };
    return script(names, () => random.uuid());
  };
  const withCalls: Buy = async (customer, key) => {
    const recordedCalls = lastCalls;
    if (recordedCalls === undefined) throw new Error('no call was recorded');
    await clientSql.run(scriptOf(customer, key), (at) =>
      at === 'before'
        ? calls.verify(recordedCalls, customer.providerUserId)
        : calls.openOrder(recordedCalls, random.uuid()),
    );
  };
  const sides: Readonly<Record<string, Buy>> = {
    'POST /gold/buy': async (customer, key) => void (await client.buy(customer, key)),
    ...(earlierClient !== undefined && {
      'POST /gold/buy, before': async (customer: BenchCustomer, key: string) =>
        void (await earlierClient.buy(customer, key)),
    }),
    'its SQL, by the client': (customer, key) => clientSql.run(scriptOf(customer, key)),
    'its SQL and its two calls': withCalls,
    'its SQL, by pg alone': (customer, key) => driverSql.run(scriptOf(customer, key)),
  };
  return {
    sides,
    /**
     * Reads the calls of a recent buy, since the bare calls repeat its rate, which is valid for
     * minutes.
     */
    refresh: async () => {
      lastCalls = await readCalls(benchmark.sandboxUrl);
    },
    close: async () => {
      await earlierClient?.close();
      await Promise.all([client, calls, clientSql, driverSql].map((one) => one.close()));
    },
  };
};
