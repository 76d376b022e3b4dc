import { withConnection } from '../dev/stack/database-setup.ts';
import { listSql, searchSql } from '../src/modules/catalogue/catalogue.store.ts';
import { correctSpelling } from '../src/modules/catalogue/correct-spelling.ts';
import { createDatabase, selectRows, sql, type Db, type Sql } from '../src/platform/db/index.ts';
import { runLoad, type LoadResult } from './support/http-load.ts';
import { keepPriceLive } from './support/keep-price-live.ts';
import { openStack, type BenchStack, type RunningApp } from './support/open-stack.ts';
import { productionEnvironment } from './support/production-environment.ts';
import type { Report, Table } from './support/report.ts';
import { median, medianRatio } from './support/statistics.ts';

const count = 10_000;
const rounds = 7;
const seconds = 1;
const warmUpSeconds = 2;
const connections = 16;
/** The aim, in pages of the list for each second of one core's time. */
const aim = 1900;

/**
 * Adds the products: 40 names by 25 words of a design, in 8 categories, two thirds of them DYNAMIC.
 */
const addProducts = (migrateUrl: string): Promise<unknown> =>
  withConnection(migrateUrl, async (client) => {
    await client.query(
      `INSERT INTO product (id, name, description, category, purity_karat, weight_grams,
         pricing_mode, making_charge_bps, price_paise, price_computed_at, created_at, updated_at)
       SELECT gen_random_uuid(),
         (ARRAY['Temple','Plain','Kundan','Filigree','Rope','Antique','Floral','Peacock','Lotus',
           'Meenakari'])[1 + n % 10] || ' ' ||
         (ARRAY['ring','pendant','necklace','bracelet','chain','bangle','coin','earring'])
           [1 + n % 8] || ' ' || n,
         'Design ' || (n % 25) || ' of the ' ||
         (ARRAY['wedding','festival','everyday','heritage'])[1 + n % 4] || ' collection',
         (ARRAY['rings','pendants','necklaces','bracelets','chains','bangles','coins','earrings'])
           [1 + n % 8],
         22, 1 + (n % 300) / 10.0,
         CASE WHEN n % 3 = 0 THEN 'FIXED' ELSE 'DYNAMIC' END, 1200, 1000000 + n, now(),
         now() - n * interval '1 minute', now()
       FROM generate_series(1, ${count}) AS n`,
    );
    await client.query('VACUUM ANALYZE');
  });

/**
 * Creates a function that returns a path with another page or limit each time, so that no page is
 * soon requested again.
 */
const createPaths = (query: string): (() => string) => {
  let requests = 0;
  return () => {
    requests += 1;
    const page = 1 + (requests % 50);
    const limit = 16 + (Math.trunc(requests / 50) % 60);
    return `/v1/products?page=${page}&limit=${limit}${query}`;
  };
};

interface Side {
  readonly name: string;
  readonly app: RunningApp;
  readonly nextPath: () => string;
}

const always = (path: string) => () => path;
const coldList = createPaths('');
const coldSearch = createPaths('&q=necklace');

const sidesOf = (customer: RunningApp, floor: RunningApp): Side[] => {
  const [list, search] = ['/v1/products', '/v1/products?q=necklace'];
  return [
    { name: 'list, one page', app: customer, nextPath: always(list) },
    { name: 'list, other pages', app: customer, nextPath: coldList },
    { name: 'search, one page', app: customer, nextPath: always(search) },
    { name: 'search, misspelt', app: customer, nextPath: always('/v1/products?q=neclace') },
    { name: 'search, other pages', app: customer, nextPath: coldSearch },
    { name: 'bare list, one page', app: floor, nextPath: always(list) },
    { name: 'bare list, other pages', app: floor, nextPath: coldList },
    { name: 'bare search, one page', app: floor, nextPath: always(search) },
    { name: 'bare search, other pages', app: floor, nextPath: coldSearch },
  ];
};

type Results = Map<string, LoadResult[]>;

const measure = async (
  sides: readonly Side[],
  raiseVersion: () => Promise<unknown>,
): Promise<Results> => {
  const results: Results = new Map();
  for (let round = -1; round < rounds; round += 1) {
    const order = round % 2 === 0 ? sides : sides.toReversed();
    for (const { name, app, nextPath } of order) {
      // This makes the service drop the pages that it has serialized in an earlier turn.
      await raiseVersion();
      const load = { url: app.url, pid: app.pid, connections, nextPath };
      const result = await runLoad({ ...load, seconds: round < 0 ? warmUpSeconds : seconds });
      if (round >= 0) results.set(name, [...(results.get(name) ?? []), result]);
    }
  }
  return results;
};

const tableOf = (results: Results): Table => {
  const of = (name: string, figure: keyof LoadResult): number[] =>
    (results.get(name) ?? []).map((result) => result[figure]);
  const perCoreSecond = (name: string): number[] =>
    of(name, 'cpuUsPerRequest').map((us) => 1_000_000 / us);
  const floorOf = (name: string): string => {
    const bare = `bare ${name.replace('bare ', '').replace('misspelt', 'one page')}`;
    return results.has(bare) ? bare : name;
  };
  return {
    title: `medians; the aim is ${aim} pages of the list in a second of one core`,
    columns: ['', 'pages/core-s', 'of bare', 'pages/s', 'p50 ms', 'p99 ms'],
    rows: [...results.keys()].map((name) => [
      name,
      median(perCoreSecond(name)),
      medianRatio(perCoreSecond(name), perCoreSecond(floorOf(name))),
      median(of(name, 'requestsPerSecond')),
      median(of(name, 'p50Ms')),
      median(of(name, 'p99Ms')),
    ]),
  };
};

const planOf = async (db: Db, title: string, query: Sql): Promise<Table> => {
  const rows = await selectRows<{ 'QUERY PLAN': string }>(
    db,
    sql`EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${query}`,
  );
  return { title, columns: [''], rows: rows.map((row) => [row['QUERY PLAN']]) };
};

const plansOf = async (db: Db): Promise<Table[]> => {
  const bounds = { limit: 20, offset: 0 };
  const filter = { isActive: true };
  const terms = await correctSpelling(db, 'filigre neclace');
  if (terms === undefined) throw new Error('no words');
  return [
    await planOf(db, 'plan of the list', listSql(filter, bounds)),
    await planOf(db, 'plan of a category', listSql({ ...filter, category: 'coins' }, bounds)),
    await planOf(db, `plan of ${terms.all.corrected}`, searchSql(terms.all, filter, bounds)),
  ];
};

const measureStack = async (stack: BenchStack): Promise<Report> => {
  const { databaseUrl, migrateUrl } = stack.addresses;
  await addProducts(migrateUrl);
  const stopFeeding = await keepPriceLive(databaseUrl);
  const database = createDatabase({ url: databaseUrl, poolSize: 2, applicationName: 'bench' });
  try {
    const customer = await stack.start('customer', { change: productionEnvironment });
    const floor = await stack.startServer('products-floor', { DATABASE_URL: databaseUrl });
    const raiseVersion = () =>
      database.db.catalogueVersion.updateMany({
        data: { version: { increment: 1 } },
      });
    const results = await measure(sidesOf(customer, floor), raiseVersion);
    return {
      how: [
        `GET /products of the customer API as in production, over ${count} products, beside a bare`,
        `Express handler that runs the same statement: ${rounds} rounds of ${seconds} s in turns,`,
        `autocannon, ${connections} connections, each request from another client address. "One`,
        'page" is asked for again and again; "other pages" is another one each time. Core-seconds',
        'are those of the process, without PostgreSQL.',
      ],
      tables: [tableOf(results), ...(await plansOf(database.db))],
      samples: Object.fromEntries(results),
    };
  } finally {
    await database.close();
    await stopFeeding();
  }
};

/**
 * Measures pages of the catalogue and of searches, beside a bare handler with the same statements.
 */
export const products = async (): Promise<Report> => {
  const stack = await openStack();
  try {
    return await measureStack(stack);
  } finally {
    await stack.stop();
  }
};
