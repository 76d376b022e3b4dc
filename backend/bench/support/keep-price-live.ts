import { insertTick } from '../../src/modules/price/price.store.ts';
import { makePrice } from '#test/support/prices.ts';
import { createSystemClock } from '../../src/platform/clock/clock.ts';
import { createDatabase } from '../../src/platform/db/index.ts';
import { createRandom } from '../../src/platform/ids/random.ts';

const everyMs = 1000;

/**
 * Keeps a live price in the database, in place of the worker's feed. Returns the function that
 * stops it.
 */
export const keepPriceLive = async (databaseUrl: string): Promise<() => Promise<void>> => {
  const [wall, random] = [createSystemClock(), createRandom()];
  const database = createDatabase({ url: databaseUrl, poolSize: 1, applicationName: 'bench' });
  const put = async (): Promise<void> => {
    const asOf = wall.now();
    await insertTick(database.db, random.uuid(), asOf, makePrice({ asOf }));
  };
  await put();
  const timer = setInterval(() => void put(), everyMs);
  return async () => {
    clearInterval(timer);
    await database.close();
  };
};
