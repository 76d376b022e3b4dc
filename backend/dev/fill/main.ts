import { resolve } from 'node:path';
import { readEndpoints } from '../demo/read-endpoints.ts';
import { withConnection } from '../stack/database-setup.ts';
import { explain } from '../stack/explain.ts';
import { readStackOptions } from '../stack/stack-options.ts';
import { fillDatabase } from './fill-database.ts';
import { readFillOptions, spanBefore } from './fill-options.ts';
import { highestSeries, nextSeries } from './series.ts';

/** `make fill ORDERS=…`: fills the database of the running stack with customers and their books. */

const repository = resolve(import.meta.dirname, '..', '..', '..');

const main = async (env: Readonly<Record<string, string | undefined>>): Promise<void> => {
  const options = readFillOptions(env);
  const { database } = readEndpoints(readStackOptions(repository, env).paths.endpointsFile);
  const begun = performance.now();
  const { rows } = await withConnection(database, (client) =>
    client.query<{ now: Date; highest: string | null }>(highestSeries),
  );
  const series = nextSeries(rows[0]?.highest ?? null);
  const span = spanBefore(rows[0]?.now ?? new Date(Number.NaN), options);
  await fillDatabase(database, { ...options, ...span, series });
  const seconds = Math.round((performance.now() - begun) / 1000);
  process.stdout.write(
    `${options.orders} gold orders of ${options.users} customers, from ` +
      `${span.from.toISOString().slice(0, 10)} to ${span.to.toISOString().slice(0, 10)}, ` +
      `in ${seconds} s (series ${series})\n`,
  );
};

try {
  await main(process.env);
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
