import { fillDatabase } from '../../dev/fill/fill-database.ts';
import { createAgreements } from '../../src/modules/reconciliation/agreements.store.ts';
import { allChecks } from '../../src/modules/reconciliation/checks/all-checks.ts';
import { createRead } from '../../src/modules/reconciliation/create-read.ts';
import { runLimitsOf } from '../../src/modules/reconciliation/run-limits.ts';
import { runReport } from '../../src/modules/reconciliation/run-report.ts';
import { fromSafeBps } from '../../src/money/index.ts';
import { addMs, createSystemClock } from '../../src/platform/clock/clock.ts';
import { createTimers } from '../../src/platform/clock/timers.ts';
import { createDatabase, type Database } from '../../src/platform/db/index.ts';
import { createSilentLogger } from '../../src/platform/observability/index.ts';
import { openStack } from '../support/open-stack.ts';
import type { Report, Table } from '../support/report.ts';
import { createAgreeingCollaborators } from './agreeing-collaborators.ts';

const [hourMs, megabyte] = [3_600_000, 1024 * 1024];
/** Three days of 10,000 orders. */
const window = { hours: 72, orders: 30_000, users: 15_000 };
/** The time until a collaborator answers. */
const answerMs = 100;
/** The limit of requests a second to a provider that has no list. */
const perSecond = 10;
const runCount = 2;

interface Measured {
  readonly seconds: number;
  readonly addedMegabytes: number;
  readonly details: string;
}

/** Measures the time of one run, and the increase of this process's memory at its peak. */
const measureRun = async (makeRun: () => Promise<string>): Promise<Measured> => {
  const before = process.memoryUsage().rss;
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 100);
  const startedAt = performance.now();
  try {
    const details = await makeRun();
    const seconds = (performance.now() - startedAt) / 1000;
    return { seconds, addedMegabytes: (peak - before) / megabyte, details };
  } finally {
    clearInterval(sampling);
  }
};

const tableOf = (runs: readonly Measured[]): Table => ({
  title: 'runs of 72 h; the aim is less than 120 s and 200 MB',
  columns: ['run', 's', 'MB more', 'incomplete'],
  rows: runs.map(({ seconds, addedMegabytes, details }, at) => [
    at + 1,
    seconds,
    addedMegabytes,
    details,
  ]),
});

const measure = async (database: Database, databaseUrl: string): Promise<Measured[]> => {
  const clock = createSystemClock();
  const timers = createTimers();
  const from = addMs(clock.now(), -window.hours * hourMs);
  const { db, inTransaction } = database;
  const delay = () => timers.sleep(answerMs);
  const context = {
    ...(await createAgreeingCollaborators(databaseUrl, from, delay)),
    read: createRead(inTransaction),
    agreements: createAgreements({ db, clock }),
    priceToleranceBps: fromSafeBps(100),
    limits: runLimitsOf(perSecond),
  };
  const logger = createSilentLogger();
  const runs: Measured[] = [];
  for (let run = 0; run < runCount; run += 1) {
    const measured = await measureRun(async () => {
      const now = clock.now();
      const options = { checks: allChecks, context, now, windowHours: window.hours, logger };
      const { checks } = await runReport(options);
      // Some payouts of the made-up books failed and were not repeated, which are findings.
      const findings = checks.filter(({ id, count }) => count > 0 && id !== 'payout_stuck');
      if (findings.length > 0) throw new Error(`findings: ${JSON.stringify(findings)}`);
      return checks.flatMap(({ detail }) => detail ?? []).join('; ');
    });
    runs.push(measured);
  }
  return runs;
};

/** Measures runs of the checks over three days of 10,000 orders, as the worker makes them. */
export const reconciliation = async (): Promise<Report> => {
  const stack = await openStack();
  const { migrateUrl, databaseUrl } = stack.addresses;
  const database = createDatabase({ url: databaseUrl, poolSize: 4, applicationName: 'bench' });
  try {
    const now = createSystemClock().now();
    await fillDatabase(migrateUrl, {
      series: 1,
      orders: window.orders,
      users: window.users,
      from: addMs(now, -window.hours * hourMs + hourMs / 2),
      to: addMs(now, -hourMs / 2),
    });
    const runs = await measure(database, databaseUrl);
    return {
      how: [
        `Below HTTP, by the service's own code and database client: ${window.orders} gold orders of`,
        `${window.users} customers in ${window.hours} h. Every answer of a collaborator takes`,
        `${answerMs} ms and says what the books say; lists have 100 rows a page. The gold provider`,
        `has no list: at most ${perSecond} questions a second, so that a run is one of many.`,
      ],
      tables: [tableOf(runs)],
      samples: runs,
    };
  } finally {
    await database.close();
    await stack.stop();
  }
};
