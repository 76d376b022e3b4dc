import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverBundle } from '../support/build-servers.ts';
import type { ProcessEnvironment } from '../../dev/stack/environment.ts';
import type { BenchStack } from '../support/open-stack.ts';
import { benchPort } from '../support/ports.ts';
import { createBuyClient } from './buy-client.ts';
import { makeCustomers, type BenchCustomer } from './make-customers.ts';
import { recordBuy, type RecordedBuy } from './record-buy.ts';

export interface BuyBenchmark {
  readonly stack: BenchStack;
  readonly customers: readonly BenchCustomer[];
  readonly recorded: RecordedBuy;
  readonly sandboxUrl: string;
  /** Addresses of the customer API, by the distance of its database and by its version. */
  readonly customerUrls: Readonly<
    Record<Distance, { readonly now: string; readonly before?: string }>
  >;
  /** The addresses of the database, near and one millisecond away. */
  readonly databaseUrls: Readonly<Record<Distance, string>>;
}

/** With `away`, each answer of the database is a millisecond later. */
export type Distance = 'near' | 'away';

const openAway = async (stack: BenchStack): Promise<string> => {
  const url = new URL(stack.addresses.databaseUrl);
  const awayPort = String(await benchPort());
  const env = { DATABASE_PORT: url.port, AWAY_PORT: awayPort, AWAY_MS: '1' };
  await stack.startServer('database-away', env);
  url.port = awayPort;
  return url.href;
};

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

/** Starts the processes, creates `count` customers, and records the statements of a buy. */
export const openBuyBenchmark = async (stack: BenchStack, count: number): Promise<BuyBenchmark> => {
  const sandbox = await stack.start('sandbox');
  const customers = await makeCustomers(stack, count);
  const recorded = await record(stack, customers);
  const databaseUrls = { near: stack.addresses.databaseUrl, away: await openAway(stack) };
  const start = async (distance: Distance) => {
    const change = (env: ProcessEnvironment) => ({ ...env, DATABASE_URL: databaseUrls[distance] });
    const now = (await stack.start('customer', { change })).url;
    // An earlier version, built in its own folder, on the same schema or a schema that fits it.
    const ofBackend = process.env['BENCH_BEFORE'];
    if (ofBackend === undefined) return { now };
    return { now, before: (await stack.start('customer', { change, ofBackend })).url };
  };
  const customerUrls = { near: await start('near'), away: await start('away') };
  return { stack, customers, recorded, sandboxUrl: sandbox.url, customerUrls, databaseUrls };
};
