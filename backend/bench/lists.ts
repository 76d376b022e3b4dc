import { fillDatabase } from '../dev/fill/fill-database.ts';
import { listOrders } from '../src/modules/orders/list-orders.store.ts';
import { listPayouts } from '../src/modules/payouts/payouts.store.ts';
import { listProductOrders } from '../src/modules/product-orders/product-orders.store.ts';
import { createFoldChangesSweep } from '../src/modules/transaction-counts/index.ts';
import { createDatabase, type Db } from '../src/platform/db/index.ts';
import { openStack } from './support/open-stack.ts';
import type { Report } from './support/report.ts';
import { median, medianRatio, quantile } from './support/statistics.ts';

/**
 * The number of gold orders at the first measurement. The second has `many`, over the same two
 * years.
 */
const few = Number(process.env['BENCH_FEW_ORDERS'] ?? 10_000);
const many = Number(process.env['BENCH_ORDERS'] ?? 1_000_000);
const span = { from: new Date('2024-11-01T00:00:00Z'), to: new Date('2026-10-31T00:00:00Z') };
const [rounds, callsPerRound, limit] = [15, 20, 20];

type Read = (db: Db, page: number) => Promise<{ readonly total: number }>;

/** The operators' lists, whole and by a status. */
const lists: Readonly<Record<string, Read>> = {
  orders: (db, page) => listOrders(db, {}, { page, limit }),
  'orders, ALLOCATED': (db, page) => listOrders(db, { status: 'ALLOCATED' }, { page, limit }),
  'product orders': (db, page) => listProductOrders(db, {}, { page, limit }),
  payouts: (db, page) => listPayouts(db, {}, { page, limit }),
  'payouts, PAID': (db, page) => listPayouts(db, { statuses: ['PAID'] }, { page, limit }),
};

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

interface Sample {
  readonly total: number;
  readonly first: readonly number[];
  readonly middle: readonly number[];
}

const sample = async (db: Db, read: Read): Promise<Sample> => {
  const { total } = await read(db, 1);
  const middlePage = Math.max(1, Math.floor(total / limit / 2));
  const measure = async (page: number): Promise<number[]> => {
    const medians: number[] = [];
    for (let round = -1; round < rounds; round += 1) {
      const times: number[] = [];
      for (let call = 0; call < callsPerRound; call += 1) {
        times.push(await timed(() => read(db, page)));
      }
      // Round -1 warms the caches and is not counted.
      if (round >= 0) medians.push(median(times));
    }
    return medians;
  };
  return { total, first: await measure(1), middle: await measure(middlePage) };
};

const sampleAll = async (db: Db): Promise<Readonly<Record<string, Sample>>> => {
  await createFoldChangesSweep({ db }).run(new AbortController().signal);
  const samples: Record<string, Sample> = {};
  for (const [name, read] of Object.entries(lists)) samples[name] = await sample(db, read);
  return samples;
};

/** Measures pages of the operators' lists with few rows and with many, over the same days. */
export const operatorLists = async (): Promise<Report> => {
  const stack = await openStack();
  const { databaseUrl: url, migrateUrl } = stack.addresses;
  const database = createDatabase({ url, poolSize: 4, applicationName: 'bench' });
  try {
    await fillDatabase(migrateUrl, { series: 1, orders: few, users: few / 5, ...span });
    const before = await sampleAll(database.db);
    await fillDatabase(migrateUrl, { series: 2, orders: many - few, users: many / 5, ...span });
    const after = await sampleAll(database.db);
    const rows = Object.entries(after).flatMap(([name, { total, first, middle }]) => {
      const earlier = before[name];
      if (earlier === undefined) return [];
      return [
        [`${name}, first page`, earlier.total, total, earlier.first, first] as const,
        [`${name}, middle page`, earlier.total, total, earlier.middle, middle] as const,
      ];
    });
    return {
      how: [
        "Lists of operators below HTTP: total and page, by the service's own stores and database",
        `client, with ${few} orders of gold and what goes with them, then with ${many}, over the same`,
        `two years; ${rounds} rounds of ${callsPerRound} calls a page of ${limit}.`,
      ],
      tables: [
        {
          title: 'medians of the rounds, below HTTP; the aim is a ratio of at most 1.2',
          columns: ['list', 'few rows', 'many rows', 'few ms', 'many ms', 'p95 ms', 'ratio'],
          rows: rows.map(([name, fewRows, manyRows, base, times]) => [
            name,
            fewRows,
            manyRows,
            median(base),
            median(times),
            quantile(times, 0.95),
            medianRatio(times, base),
          ]),
        },
      ],
      samples: { before, after },
    };
  } finally {
    await database.close();
    await stack.stop();
  }
};
