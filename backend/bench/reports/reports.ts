import { withConnection } from '../../dev/stack/database-setup.ts';
import { fillDatabase } from '../../dev/fill/fill-database.ts';
import { allChecks } from '../../src/modules/reconciliation/checks/all-checks.ts';
import { createRead } from '../../src/modules/reconciliation/create-read.ts';
import type { CheckContext, Read } from '../../src/modules/reconciliation/reconciliation.types.ts';
import { gmvSql, readGmv, readSignUps } from '../../src/modules/reports/days.read-model.ts';
import { makeAum, makeOverview } from '../../src/modules/reports/make-reports.ts';
import { fromSafeBps, paise } from '../../src/money/index.ts';
import { addMs, createSystemClock } from '../../src/platform/clock/clock.ts';
import { createDatabase, selectRows, sql, type Database } from '../../src/platform/db/index.ts';
import { openStack, type BenchStack } from '../support/open-stack.ts';
import type { Report, Table } from '../support/report.ts';
import { median, medianRatio, quantile } from '../support/statistics.ts';
import { createAgreeingCollaborators } from './agreeing-collaborators.ts';

const [hourMs, dayMs] = [3_600_000, 86_400_000];
const [few, many] = [10_000, 1_000_000];
/** The orders of the last three days, which are the same on both sides, and their customers. */
const recent = { orders: 600, users: 150 };
const windowHours = 72;
const rounds = 15;

/**
 * A database with a history of `orders` orders and a fifth as many customers, and with the same
 * last three days as the other side.
 */
interface Side {
  readonly orders: number;
  readonly stack: BenchStack;
  readonly database: Database;
  readonly fillSeconds: number;
  readonly context: CheckContext;
  /** The reports to measure, by name. */
  readonly works: ReadonlyMap<string, () => Promise<unknown>>;
}

const clock = createSystemClock();
const price = {
  livePrice: async () => ({
    buyPaise: paise(1_300_000n),
    sellPaise: paise(1_250_000n),
    spotPaise: paise(1_275_000n),
    source: 'PROVIDER' as const,
    asOf: clock.now(),
  }),
};
type Price = Parameters<typeof makeOverview>[0]['price'];

const fillSide = async (stack: BenchStack, orders: number): Promise<number> => {
  const { migrateUrl } = stack.addresses;
  const now = clock.now();
  const startedAt = performance.now();
  await fillDatabase(migrateUrl, {
    series: 1,
    orders,
    users: orders / 5,
    from: addMs(now, -730 * dayMs),
    to: addMs(now, -31 * dayMs),
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const window = { from: addMs(now, -71 * hourMs), to: addMs(now, -hourMs) };
  await fillDatabase(migrateUrl, { series: 2, ...recent, ...window });
  // Pages that a checkpoint still has to write would slow down the first measurement.
  await withConnection(migrateUrl, (client) => client.query('VACUUM ANALYZE'));
  return seconds;
};

const worksOf = (database: Database, context: CheckContext): Side['works'] => {
  const { db } = database;
  // A report uses no other method of the price module.
  const deps = { db, clock, price: price as unknown as Price };
  const runAll = async (): Promise<void> => {
    for (const check of allChecks) {
      const { count, incomplete } = await check.run(context);
      // Some payouts of the made-up books failed and were not repeated, which are findings.
      const isUnexpected = count > 0 && check.id !== 'payout_stuck';
      if (isUnexpected || incomplete !== undefined) {
        throw new Error(`${check.id}: ${count} findings, ${incomplete ?? 'complete'}`);
      }
    }
  };
  return new Map<string, () => Promise<unknown>>([
    ['overview', () => makeOverview(deps)],
    ['aum', () => makeAum(deps)],
    ['gmv, 30 days', () => readGmv(db, clock.now(), 30)],
    ['user growth, 30 days', () => readSignUps(db, clock.now(), 30)],
    ['the 13 checks', runAll],
    ...allChecks.map((check) => [check.id, () => check.run(context)] as const),
  ]);
};

const openSide = async (orders: number): Promise<Side> => {
  const stack = await openStack();
  const fillSeconds = await fillSide(stack, orders);
  const { databaseUrl } = stack.addresses;
  const database = createDatabase({ url: databaseUrl, poolSize: 4, applicationName: 'bench' });
  const now = clock.now();
  const from = addMs(now, -windowHours * hourMs);
  const context: CheckContext = {
    ...(await createAgreeingCollaborators(databaseUrl, from)),
    read: createRead(database.inTransaction),
    now,
    from,
    priceToleranceBps: fromSafeBps(100),
    limits: { maxRequests: 1000, concurrency: 3, withinMs: 15_000 },
  };
  return { orders, stack, database, fillSeconds, context, works: worksOf(database, context) };
};

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

type Samples = Map<string, Map<number, number[]>>;

const measure = async (sides: readonly Side[]): Promise<Samples> => {
  const samples: Samples = new Map();
  for (let round = -1; round < rounds; round += 1) {
    const order = round % 2 === 0 ? sides : sides.toReversed();
    for (const name of sides[0]?.works.keys() ?? []) {
      for (const { orders, works } of order) {
        const work = works.get(name);
        if (work === undefined) continue;
        // Each figure is the best of three, so that other load on the machine weighs less.
        const times = [await timed(work), await timed(work), await timed(work)];
        // Round -1 warms the caches and is not counted.
        if (round < 0) continue;
        const bySide = samples.get(name) ?? new Map<number, number[]>();
        bySide.set(orders, [...(bySide.get(orders) ?? []), Math.min(...times)]);
        samples.set(name, bySide);
      }
    }
  }
  return samples;
};

const tableOf = (samples: Samples): Table => ({
  title: 'ms, medians of the rounds; the aim is a ratio of at most 1.2',
  columns: ['report', `${few} orders`, `${many} orders`, 'p95', 'ratio'],
  rows: [...samples].map(([name, bySide]) => {
    const [small = [], large = []] = [bySide.get(few), bySide.get(many)];
    const ratio = medianRatio(large, small);
    return [name, median(small), median(large), quantile(large, 0.95), ratio];
  }),
});

/** Returns the distinct lines of a plan that read a table or an index. */
const scansOf = (lines: readonly string[]): string[][] => {
  const scans = lines.filter((line) => / Scan /u.test(line)).map((line) => line.trim());
  return [...new Set(scans)].map((line) => [line]);
};

/** Lists the scans in the plans of a check's statements. */
const planOf = async ({ context, database }: Side, id: string): Promise<Table> => {
  const lines: string[] = [];
  const read: Read = async (query) => {
    const real = createRead(database.inTransaction);
    const explain = sql`EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) ${query}`;
    const rows = await real<{ 'QUERY PLAN': string }>(explain);
    lines.push(...rows.map((row) => row['QUERY PLAN']));
    return real(query);
  };
  await allChecks.find((check) => check.id === id)?.run({ ...context, read });
  return { title: `scans of ${id}`, columns: [''], rows: scansOf(lines) };
};

const planOfGmv = async ({ database }: Side): Promise<Table> => {
  const query = gmvSql(addMs(clock.now(), -30 * dayMs), clock.now());
  const rows = await selectRows<{ 'QUERY PLAN': string }>(
    database.db,
    sql`EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) ${query}`,
  );
  const lines = rows.map((row) => row['QUERY PLAN']);
  return { title: 'scans of gmv, 30 days', columns: [''], rows: scansOf(lines) };
};

/** Measures the dashboard and the reconciliation checks, over a short and a long history. */
export const reports = async (): Promise<Report> => {
  const sides: Side[] = [];
  try {
    for (const orders of [few, many]) sides.push(await openSide(orders));
    const samples = await measure(sides);
    const long = sides.at(-1);
    if (long === undefined) throw new Error('no side was opened');
    const plans: Table[] = [await planOfGmv(long)];
    for (const { id } of allChecks) plans.push(await planOf(long, id));
    const filled = sides.map(({ orders, fillSeconds }) => [orders, fillSeconds]);
    return {
      how: [
        `Below HTTP, by the service's own code and database client: two databases with a history of`,
        `${few} and of ${many} gold orders (a fifth as many customers, two years that end 31 days`,
        `ago) and in both the same ${recent.orders} orders of the last three days. The window of the`,
        `checks is ${windowHours} h; their collaborators answer at once, and as the books say.`,
        `${rounds} rounds in turns, each the best of three calls.`,
      ],
      tables: [
        tableOf(samples),
        { title: 'filled', columns: ['gold orders', 'seconds'], rows: filled },
        ...plans,
      ],
      samples: Object.fromEntries(
        [...samples].map(([name, bySide]) => [name, Object.fromEntries(bySide)]),
      ),
    };
  } finally {
    for (const { stack, database } of sides) {
      await database.close();
      await stack.stop();
    }
  }
};
