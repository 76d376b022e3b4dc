import { insertBusyCustomer } from '#test/support/busy-customer.ts';
import { withConnection } from '../dev/stack/database-setup.ts';
import {
  findPlace,
  listTransactions,
  pageSql,
} from '../src/modules/transactions/transactions.read-model.ts';
import { createSystemClock } from '../src/platform/clock/clock.ts';
import { createDatabase, selectRows, sql, type Db } from '../src/platform/db/index.ts';
import { openStack, type BenchStack } from './support/open-stack.ts';
import type { Report, Table } from './support/report.ts';
import { median, medianRatio, quantile } from './support/statistics.ts';

const [few, many] = [1000, 1_000_000];
const limit = 20;
const rounds = 15;
const callsPerRound = 40;
/**
 * The interval between pairs of transactions, in minutes. It gives 1440 transactions a day, and 694
 * days for the million.
 */
const everyMinutes = 2;
const naiveRounds = 5;

interface Customer {
  readonly userId: string;
  readonly transactions: number;
}

const addCustomer = async (stack: BenchStack, number: number, transactions: number) => {
  const { migrateUrl } = stack.addresses;
  const userId = `0199d8f2-6a0c-7d4e-9c55-${String(number).padStart(12, '0')}`;
  await withConnection(migrateUrl, (client) =>
    client.query(
      `INSERT INTO app_user (id, phone, phone_hash, referral_code, created_at, updated_at)
       VALUES ($1::uuid, '+91900000000' || $2, $1, $1, now(), now())`,
      [userId, String(number)],
    ),
  );
  const newest = createSystemClock().now();
  await insertBusyCustomer(migrateUrl, { userId, transactions, newest, everyMinutes });
  return { userId, transactions };
};

interface Side {
  readonly name: string;
  readonly userId: string;
  readonly page: number;
}

const sidesOf = ({ userId, transactions }: Customer): Side[] => {
  const last = transactions / limit;
  const pages = { first: 1, middle: last / 2, last };
  return Object.entries(pages).map(([name, page]) => ({
    name: `${transactions}, ${name} page (${page})`,
    userId,
    page,
  }));
};

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

type Samples = Map<string, number[]>;

const measure = async (db: Db, sides: readonly Side[]): Promise<Samples> => {
  const samples: Samples = new Map();
  for (let round = -1; round < rounds; round += 1) {
    const order = round % 2 === 0 ? sides : sides.toReversed();
    for (const { name, userId, page } of order) {
      const times: number[] = [];
      for (let call = 0; call < callsPerRound; call += 1) {
        times.push(await timed(() => listTransactions(db, { userId }, { page, limit })));
      }
      // Round -1 warms the caches and is not counted.
      if (round >= 0) samples.set(name, [...(samples.get(name) ?? []), median(times)]);
    }
  }
  return samples;
};

/**
 * Measures the same page without the stored counts. Every row is counted, and the rows before the
 * page are skipped.
 */
const measureNaively = async (db: Db, userId: string): Promise<number[]> => {
  const dayEnd = new Date('2100-01-01T00:00:00Z');
  const times: number[] = [];
  for (let round = 0; round < naiveRounds; round += 1) {
    const time = await timed(async () => {
      await selectRows(db, pageSql({ userId }, { dayEnd, skip: many - limit, limit }));
      await selectRows(
        db,
        sql`
          SELECT (SELECT count(*) FROM gold_order WHERE user_id = ${userId}::uuid)
            + (SELECT count(*) FROM product_order WHERE user_id = ${userId}::uuid)
            + (SELECT count(*) FROM payout WHERE user_id = ${userId}::uuid) AS total`,
      );
    });
    times.push(time);
  }
  return times;
};

const planOf = async (db: Db, { userId, page }: Side): Promise<string[]> => {
  const offset = (page - 1) * limit;
  const { dayEnd, newer } = await findPlace(db, { userId }, offset);
  if (dayEnd === null) throw new Error('no such page');
  const query = pageSql({ userId }, { dayEnd, skip: offset - newer, limit });
  const rows = await selectRows<{ 'QUERY PLAN': string }>(
    db,
    sql`EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) ${query}`,
  );
  return rows.map((row) => row['QUERY PLAN']);
};

const tableOf = (samples: Samples, naive: readonly number[]): Table => {
  const [base = []] = [...samples.values()];
  const rows = [...samples].map(([name, times]) => [
    name,
    median(times),
    quantile(times, 0.95),
    medianRatio(times, base),
  ]);
  const counted = `${many}, last page, counted and passed over`;
  return {
    title: 'medians of the rounds; the aim is a ratio near 1 for the same page',
    columns: ['transactions', 'ms', 'p95 ms', 'of the first'],
    rows: [...rows, [counted, median(naive), quantile(naive, 0.95), median(naive) / median(base)]],
  };
};

const planTable = (title: string, plan: readonly string[]): Table => ({
  title,
  columns: [''],
  rows: plan.map((line) => [line]),
});

/**
 * Measures the transaction pages of a customer with many transactions, and of a customer with few.
 */
export const transactions = async (): Promise<Report> => {
  const stack = await openStack();
  const database = createDatabase({
    url: stack.addresses.databaseUrl,
    poolSize: 4,
    applicationName: 'bench',
  });
  const { db } = database;
  try {
    const customers = [await addCustomer(stack, 1, few), await addCustomer(stack, 2, many)];
    await withConnection(stack.addresses.migrateUrl, (client) => client.query('VACUUM ANALYZE'));
    const sides = customers.flatMap(sidesOf);
    const samples = await measure(db, sides);
    const [, busy] = customers;
    const naive = await measureNaively(db, busy?.userId ?? '');
    const last = sides.at(-1);
    const plans = last === undefined ? [] : await planOf(db, last);
    const first = sides.find(({ name }) => name.startsWith(`${many}, first`));
    return {
      how: [
        `GET /transactions below HTTP: total and page of ${limit}, by the service's own read model`,
        `and database client, for a customer with ${few} and one with ${many} transactions in one`,
        `database, ${rounds} rounds of ${callsPerRound} calls a page, in turns.`,
      ],
      tables: [
        tableOf(samples, naive),
        planTable('plan of the first page', first === undefined ? [] : await planOf(db, first)),
        planTable('plan of the last page', plans),
      ],
      samples: { ...Object.fromEntries(samples), naive },
    };
  } finally {
    await database.close();
    await stack.stop();
  }
};
