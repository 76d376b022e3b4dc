import { join, relative } from 'node:path';
import { inspect } from 'node:util';
import { buildApps } from '../build.ts';
import { buys } from './buys/buys.ts';
import { plans } from './plans/plans.ts';
import { clientConfig, priceCurrent } from './price-current.ts';
import { priceFeed } from './feed/price-feed.ts';
import { operatorLists } from './lists.ts';
import { goldctlStart } from './goldctl-start.ts';
import { productOrders } from './product-orders.ts';
import { products } from './products.ts';
import { processFigures } from './process-figures.ts';
import { registers } from './registers/registers.ts';
import { buildServers } from './support/build-servers.ts';
import { reconciliation } from './reports/reconciliation.ts';
import { proof } from './proof.ts';
import { reports } from './reports/reports.ts';
import { traces } from './traces.ts';
import { transactions } from './transactions.ts';
import { worstRequests } from './worst-requests.ts';
import { printReport, writeReport, type Report } from './support/report.ts';

const repository = join(import.meta.dirname, '..', '..');
const folder = join(repository, '.dev', 'bench');

/** The benchmarks by name. `make bench` runs all of them, and `make bench BENCH=name` runs one. */
const benchmarks: Readonly<Record<string, () => Promise<Report>>> = {
  'process-figures': processFigures,
  'price-current': priceCurrent,
  'client-config': clientConfig,
  buys,
  'price-feed': priceFeed,
  traces,
  transactions,
  lists: operatorLists,
  products,
  plans,
  reports,
  reconciliation,
  proof,
  'product-orders': productOrders,
  registers,
  'worst-requests': worstRequests,
  'goldctl-start': goldctlStart,
};

const main = async (wanted: readonly string[]): Promise<void> => {
  const names = wanted.length === 0 ? Object.keys(benchmarks) : wanted;
  const unknownName = names.find((name) => benchmarks[name] === undefined);
  if (unknownName !== undefined) {
    throw new Error(
      `no benchmark ${unknownName}; there are: ${Object.keys(benchmarks).join(', ')}`,
    );
  }
  await Promise.all([buildApps(), buildServers()]);
  for (const name of names) {
    const report = await benchmarks[name]?.();
    if (report === undefined) continue;
    const file = writeReport(folder, name, report);
    process.stdout.write(`${printReport(name, report)}\n  -> ${relative(repository, file)}\n`);
  }
};

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : inspect(error)}\n`);
  process.exitCode = 1;
}
