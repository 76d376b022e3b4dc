import { withConnection } from '../../dev/stack/database-setup.ts';
import { fillDatabase } from '../../dev/fill/fill-database.ts';
import { buysRegister } from '../../src/modules/registers/buys.register.ts';
import { windowOf, type Period } from '../../src/modules/registers/period-figures.ts';
import { rowsSql, totalsSql } from '../../src/modules/registers/register-sql.ts';
import { createSystemClock } from '../../src/platform/clock/clock.ts';
import { hashToken } from '../../src/platform/crypto/index.ts';
import { createDatabase, selectRows, sql, type Db, type Sql } from '../../src/platform/db/index.ts';
import { createRandom } from '../../src/platform/ids/random.ts';
import { openStack, type BenchStack, type RunningApp } from '../support/open-stack.ts';
import { cpuMsOf, residentMbOf } from '../support/process-usage.ts';
import type { Report, Table } from '../support/report.ts';
import { median, medianRatio, quantile } from '../support/statistics.ts';

/**
 * The number of gold orders. The register of buys then has a million rows, since some of the orders
 * are sales.
 */
const orders = Number(process.env['BENCH_ORDERS'] ?? 1_163_000);
const users = 200_000;
const span = { from: new Date('2024-11-01T00:00:00Z'), to: new Date('2026-10-31T00:00:00Z') };
const [rounds, limit] = [15, 20];
const fileRounds = 3;
const watchEveryMs = 100;

const periods: Readonly<Record<string, Period>> = {
  'a day': { from: '2026-06-15', to: '2026-06-15' },
  'a month': { from: '2026-06-01', to: '2026-06-30' },
  'two years': {},
};

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

const planOf = async (db: Db, query: Sql): Promise<Table> => {
  const plan = await selectRows<{ 'QUERY PLAN': string }>(
    db,
    sql`EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ${query}`,
  );
  return {
    title: 'plan of the first page of two years, without its list of columns',
    columns: [''],
    rows: plan.map((line) => [line['QUERY PLAN'].slice(0, 140)]),
  };
};

type Samples = Map<string, number[]>;

/** Measures pages and totals in turns, by the register's own statements without HTTP. */
const measurePages = async (db: Db): Promise<Samples> => {
  const samples: Samples = new Map();
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, period] of Object.entries(periods)) {
      const filter = windowOf(period);
      const page = rowsSql(buysRegister, filter, { limit, offset: 0 });
      const totals = totalsSql(buysRegister, filter);
      for (const [part, query] of [
        ['first page', page],
        ['totals', totals],
      ] as const) {
        const ms = await timed(() => selectRows(db, query));
        const key = `${part} of ${name}`;
        // Round -1 warms the caches and is not counted.
        if (round >= 0) samples.set(key, [...(samples.get(key) ?? []), ms]);
      }
    }
  }
  return samples;
};

const signIn = async (stack: BenchStack): Promise<string> => {
  const random = createRandom();
  const token = random.bytes(32).toString('base64url');
  await withConnection(stack.addresses.migrateUrl, (client) =>
    client.query(
      `INSERT INTO portal_session (id, portal_user_id, token_hash, created_at, last_used_at, expires_at)
       SELECT $1, id, $2, now(), now(), now() + interval '8 hours' FROM portal_user
       WHERE role = 'auditor' LIMIT 1`,
      [random.uuid(), hashToken(token)],
    ),
  );
  return token;
};

interface FileRun {
  readonly ms: number;
  readonly firstMs: number;
  readonly megabytes: number;
  readonly rows: number;
  readonly cpuMs: number;
  readonly peakMb: number;
  readonly restMb: number;
}

const readFile = async (app: RunningApp, token: string, format: string): Promise<FileRun> => {
  const [restMb, cpuBefore] = [residentMbOf(app.pid), cpuMsOf(app.pid)];
  let [peakMb, bytes, firstMs] = [restMb, 0, 0];
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, residentMbOf(app.pid));
  }, watchEveryMs);
  const startedAt = performance.now();
  const response = await fetch(`${app.url}/api/v1/accounting/gold/buys?format=${format}`, {
    headers: { 'x-portal-token': token },
  });
  if (!response.ok || response.body === null) throw new Error(await response.text());
  for await (const chunk of response.body) {
    if (bytes === 0) firstMs = performance.now() - startedAt;
    bytes += (chunk as Uint8Array).length; // the body is bytes
  }
  const ms = performance.now() - startedAt;
  clearInterval(watch);
  const cpuMs = cpuMsOf(app.pid) - cpuBefore;
  const rows = Number(response.headers.get('x-total-rows'));
  return { ms, firstMs, megabytes: bytes / 1e6, rows, cpuMs, peakMb, restMb };
};

/** Copies the same rows from the database, and returns the time. */
const copy = (stack: BenchStack): Promise<number> =>
  withConnection(stack.addresses.databaseUrl, (client) =>
    timed(() => client.query(`COPY (${rowsSql(buysRegister, {}).text}) TO STDOUT (FORMAT csv)`)),
  );

const measureFiles = async (stack: BenchStack) => {
  const app = await stack.start('accounting');
  const token = await signIn(stack);
  const [copies, csv, xlsx]: [number[], FileRun[], FileRun[]] = [[], [], []];
  for (let round = 0; round < fileRounds; round += 1) {
    copies.push(await copy(stack));
    csv.push(await readFile(app, token, 'csv'));
  }
  xlsx.push(await readFile(app, token, 'xlsx'));
  return { copies, csv, xlsx };
};

const pageTable = (samples: Samples): Table => {
  const [base = []] = [...samples.values()];
  return {
    title: 'medians of the rounds, below HTTP',
    columns: ['', 'ms', 'p95 ms', 'of the first'],
    rows: [...samples].map(([name, times]) => [
      name,
      median(times),
      quantile(times, 0.95),
      medianRatio(times, base),
    ]),
  };
};

const fileTable = ({ copies, csv, xlsx }: Awaited<ReturnType<typeof measureFiles>>): Table => {
  const rowOf = (name: string, runs: readonly FileRun[]) => {
    const of = (pick: (run: FileRun) => number): number => median(runs.map(pick));
    const ratio = medianRatio(
      runs.map(({ ms }) => ms),
      copies,
    );
    return [
      name,
      of(({ rows }) => rows),
      of(({ megabytes }) => megabytes),
      of(({ ms }) => ms / 1000),
      ratio,
      of(({ firstMs }) => firstMs / 1000),
      of(({ cpuMs }) => cpuMs / 1000),
      of(({ restMb }) => restMb),
      of(({ peakMb }) => peakMb),
    ];
  };
  return {
    title: 'files of the whole register, over HTTP',
    columns: [
      '',
      'rows',
      'MB',
      's',
      'of COPY',
      'first byte s',
      'CPU s',
      'MB at rest',
      'MB at most',
    ],
    rows: [
      ['COPY TO STDOUT', '-', '-', median(copies) / 1000, 1, '-', '-', '-', '-'],
      rowOf('csv', csv),
      rowOf('xlsx', xlsx),
    ],
  };
};

/** Measures pages, totals and files of the register of buys with a million rows. */
export const registers = async (): Promise<Report> => {
  const stack = await openStack();
  const { databaseUrl: url, migrateUrl } = stack.addresses;
  const database = createDatabase({ url, poolSize: 2, applicationName: 'bench' });
  try {
    const fillMs = await timed(() =>
      fillDatabase(migrateUrl, { series: 1, orders, users, ...span }),
    );
    const pages = await measurePages(database.db);
    const files = await measureFiles(stack);
    const first = rowsSql(buysRegister, {}, { limit, offset: 0 });
    return {
      how: [
        `The register of buys over two years of ${orders} gold orders by ${users} customers, filled`,
        `in ${Math.round(fillMs / 1000)} s; ${rounds} rounds of pages and totals, ${fileRounds} of COPY`,
        `and CSV in turns, at ${createSystemClock().now().toISOString()}.`,
      ],
      tables: [pageTable(pages), fileTable(files), await planOf(database.db, first)],
      samples: { pages: Object.fromEntries(pages), files },
    };
  } finally {
    await database.close();
    await stack.stop();
  }
};
