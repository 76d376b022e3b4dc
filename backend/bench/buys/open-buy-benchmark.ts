import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverBundle } from '../support/build-servers.ts';
import type { BenchStack } from '../support/open-stack.ts';
import { createBuyClient } from './buy-client.ts';
import { makeCustomers, type BenchCustomer } from './make-customers.ts';
import { recordBuy, type RecordedBuy } from './record-buy.ts';

export interface BuyBenchmark {
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

/** The processes, `count` customers, and the statements of one buy. */
export const openBuyBenchmark = async (stack: BenchStack, count: number): Promise<BuyBenchmark> => {
  const sandbox = await stack.start('sandbox');
  const customers = await makeCustomers(stack, count);
  const recorded = await record(stack, customers);
  const customer = await stack.start('customer');
  return { stack, customers, recorded, sandboxUrl: sandbox.url, customerUrl: customer.url };
};
