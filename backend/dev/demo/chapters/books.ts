import type { AdminSchemas } from '@digital-gold/client';
import { verifyChain } from '../../../src/modules/audit/index.ts';
import {
  atOneMoment,
  databaseRules,
  findBrokenRules,
  readMoneyPlaces,
} from '../../../src/modules/reconciliation/index.ts';
import { createDatabase } from '../../../src/platform/db/index.ts';
import { withConnection } from '../../stack/database-setup.ts';
import type { Demo, DemoOperator, Order, Step } from '../demo.types.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectPresent, expectThat } from '../step-failure.ts';
import { until } from '../until.ts';

/** Counts the calls in which the provider was to carry out this transaction. */
const countConfirms = async ({ sandbox }: Demo, txId: string): Promise<number> => {
  const query = { collaborator: 'safegold', operation: 'buy-confirm' };
  const { body } = await sandbox.get('/_control/journal', { query });
  return body.entries.filter(({ idempotencyKey }) => idempotencyKey === txId).length;
};

const compare = async (demo: Demo, { sg_tx_id, grams }: Order): Promise<string> => {
  const txId = expectPresent(sg_tx_id, "provider's transaction of the order");
  const books = await demo.sandbox.get('/_control/transactions');
  const theirs = books.body.items.find((item) => String(item.txId) === txId);
  expectThat(theirs !== undefined, `the provider does not know transaction ${txId}`);
  expectThat(theirs.status === 1, `the provider's status of it is ${theirs.status}, not 1 (done)`);
  expectThat(theirs.grams === grams, `the provider sold ${theirs.grams} g, not ${grams ?? 'any'}`);
  const confirms = await countConfirms(demo, txId);
  expectThat(confirms === 1, `transaction ${txId} was confirmed ${confirms} times`);
  return `transaction ${txId}: ${showGrams(theirs.grams)} sold, with one confirm`;
};

/** Checks that the provider's books have one purchase for each order. */
export const compareProvider: Step = {
  title: "The gold provider's books agree",
  run: async (demo) => [
    await compare(demo, demo.readState('buy').order),
    await compare(demo, demo.readState('secondOrder')),
  ],
};

const checks = 13;

type Report = AdminSchemas['ReconciliationReport'];
type Check = Report['checks'][number];

/**
 * Reads the number of findings of each check. A used stack may have open reviews of earlier runs.
 */
export const countFindings = async (
  api: DemoOperator['api'],
): Promise<Readonly<Record<string, number>>> => {
  const { body } = await api.get('/v1/reconciliation');
  return Object.fromEntries(body.checks.map(({ id, count }) => [id, count]));
};

/** Returns the checks that found something in this story, or could not be made. */
const newFindings = (report: Report, before: Readonly<Record<string, number>>): readonly Check[] =>
  report.checks.filter(
    ({ id, status, count }) =>
      status === 'ERROR' || (status === 'FINDINGS' && count > (before[id] ?? 0)),
  );

/** Describes the checks that are not OK, each with its first row. */
const describe = (found: readonly Check[]): string =>
  found
    .map(({ id, status, count, samples: [first], detail }) => {
      const row = first === undefined ? (detail ?? '') : JSON.stringify(first);
      return `${id} reads ${status} (${count}): ${row}`;
    })
    .join('; ');

/** Requests a run, which the worker makes, and waits for its end. */
const followRun = async (demo: Demo): Promise<string> => {
  const { api } = demo.readState('operator');
  const { body: asked } = await api.post('/v1/reconciliation/runs', { body: { windowHours: 24 } });
  const path = { id: asked.id };
  const run = await until({
    timers: demo.timers,
    seconds: 120,
    look: async () => (await api.get('/v1/reconciliation/runs/{id}', { path })).body,
    isThere: ({ status }) => status === 'DONE',
    otherwise: ({ status, checksDone }) => `the run is ${status} after ${checksDone} checks`,
  });
  expectThat(run.report?.checks.length === checks, 'the run has not all checks');
  return `a run of ${run.windowHours} hours was asked for, and its ${checks} checks are stored`;
};

/** Compares our books with themselves and with those of the three collaborators. */
export const reconcile: Step = {
  title: 'Reconciliation finds nothing',
  async run(demo) {
    const { api } = demo.readState('operator');
    const before = demo.readState('findingsBefore');
    // A webhook that is being delivered at this moment is a finding until it has arrived.
    const report = await until({
      timers: demo.timers,
      seconds: 60,
      look: async () => (await api.get('/v1/reconciliation')).body,
      isThere: (seen) => newFindings(seen, before).length === 0,
      otherwise: (seen) => describe(newFindings(seen, before)),
    });
    const old = checks - report.summary.ok;
    return [
      `${report.summary.ok} of ${checks} checks are OK over ${report.windowHours} hours`,
      ...(old === 0 ? [] : [`${old} find what was there before the story, and nothing more`]),
      'the payment gateway, the gold provider and the payout provider were asked',
      await followRun(demo),
    ];
  },
};

const verifyWholeChain = async ({ endpoints }: Demo): Promise<readonly string[]> => {
  const database = createDatabase({
    url: endpoints.database,
    poolSize: 1,
    applicationName: 'demo',
  });
  try {
    const { head, verified, findings } = await verifyChain(database.db);
    const [first] = findings;
    const where = `entry ${first?.number ?? '-'}, row ${first?.auditId ?? '-'}`;
    expectThat(first === undefined, `the audit chain is broken: ${first?.kind} at ${where}`);
    expectThat(verified > 0n, 'the audit log is empty');
    return [`${verified} audit rows as they were written, head ${head.hash.slice(0, 16)}...`];
  } finally {
    await database.close();
  }
};

/** Compares the whole audit log with its chain, as `goldctl audit verify` does. */
export const verifyAudit: Step = {
  title: 'Every audit row is as it was written',
  run: verifyWholeChain,
};

/**
 * Checks the rules of the database. It is the only step that reads behind the APIs, and it covers
 * all customers.
 */
export const checkInvariants: Step = {
  title: 'The invariants hold over the whole database',
  run: ({ endpoints }) =>
    withConnection(endpoints.database, async (client) => {
      const [broken, money] = await atOneMoment(client, async () => [
        await findBrokenRules(client),
        await readMoneyPlaces(client),
      ]);
      const [first] = broken;
      const row = JSON.stringify(first?.row);
      expectThat(first === undefined, `${broken.length} rows break a rule; ${first?.says}: ${row}`);
      const { captured, allocated, awaitingAllocation, underReview, unmatched, reversed } = money;
      const placed = allocated + awaitingAllocation + underReview + unmatched + reversed;
      expectThat(placed === captured, `${captured} paise were captured, ${placed} have a place`);
      return [
        `${databaseRules.length} of ${databaseRules.length} rules hold`,
        `captured ${showPaise(captured)} = allocated ${showPaise(allocated)}` +
          ` + awaiting ${showPaise(awaitingAllocation)} + under review ${showPaise(underReview)}` +
          ` + unmatched ${showPaise(unmatched)} + reversed ${showPaise(reversed)}`,
      ];
    }),
};
