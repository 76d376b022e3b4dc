import { describe, expect } from 'vitest';
import type { RunningSystem } from '#test/support/open-running-system.ts';
import { runningTest } from '#test/support/running-test.ts';
import { lockRows, untilBlocked, type RowLock } from '#test/support/lock-rows.ts';
import { eventually } from '#test/support/eventually.ts';
import { keepClaims, lapseClaims } from '#test/support/lapse-leases.ts';
import type { StartedProcess } from '#test/support/start-process.ts';
import type { PlacedBuy, TestCustomer } from '#test/support/test-customer.ts';

/** An allocation that was in progress when its worker was killed. */
interface Stranded {
  readonly buyer: TestCustomer;
  readonly buy: PlacedBuy;
}

interface Story {
  readonly system: RunningSystem;
  /** By the step that they stopped at. */
  readonly stranded: Map<string, Stranded>;
}

/** It waits long for the provider, so that it can be killed while it does. */
const doomed = {
  SAFEGOLD_TIMEOUT_MS: '15000',
  DATABASE_LOCK_WAIT_MS: '25000',
  JANITOR_EVERY_MS: '600000',
};
const long = { delayMs: 60_000 };

/** Places the buys of some steps before any worker waits: what is left then takes little time. */
const place = async ({ system, stranded }: Story, ...steps: readonly string[]): Promise<void> => {
  await Promise.all(
    steps.map(async (step) => {
      const buyer = await system.newCustomer();
      stranded.set(step, { buyer, buy: await buyer.buy('1000') });
    }),
  );
};

const placedFor = ({ stranded }: Story, step: string): Stranded => {
  const found = stranded.get(step);
  if (found === undefined) throw new Error(`nobody bought ${step}`);
  return found;
};

const strand = async (story: Story, step: string): Promise<Stranded> => {
  const placed = placedFor(story, step);
  await story.system.sandbox.pay(placed.buy.gatewayOrderId);
  return placed;
};

const untilCalled = (
  system: RunningSystem,
  operation: string,
  txId: string,
  times = 1,
): Promise<void> =>
  eventually(async () => {
    expect(await system.sandbox.journal(operation, txId)).toHaveLength(times);
  });

const fault = (
  system: RunningSystem,
  operation: string,
  kind: string,
  options = {},
): Promise<void> => system.sandbox.fault('safegold', operation, kind, options);

/** The first worker dies with three calls to the provider open. */
const strandAtCalls = async (story: Story): Promise<StartedProcess> => {
  const { system } = story;
  await place(
    story,
    'the confirm was sent and not done',
    'the confirm was done and its answer lost',
    'the confirm was answered and the status not',
  );
  const worker = await system.startWorker(doomed);
  await fault(system, 'buy-confirm', 'timeout', long);
  const sent = await strand(story, 'the confirm was sent and not done');
  await untilCalled(system, 'buy-confirm', sent.buy.txId);
  await fault(system, 'buy-confirm', 'accept_then_timeout', long);
  const done = await strand(story, 'the confirm was done and its answer lost');
  await untilCalled(system, 'buy-confirm', done.buy.txId);
  await fault(system, 'buy-status', 'timeout', long);
  const asked = await strand(story, 'the confirm was answered and the status not');
  await untilCalled(system, 'buy-status', asked.buy.txId);
  return worker;
};

/** Told once that it was paid: a second webhook would wait for the order beside the worker. */
const strandToldOnce = async (story: Story, step: string): Promise<Stranded> => {
  const { sandbox, stack } = story.system;
  const placed = placedFor(story, step);
  const payment = await sandbox.pay(placed.buy.gatewayOrderId, { deliver: 'none' });
  const told = await sandbox.sendWebhook(stack.urlOf('customer'), 'payment.captured', payment);
  expect(told).toMatchObject({ status: 200 });
  return placed;
};

/** The last row that an allocation writes to, after the provider said bought. */
const lockHolding = ({ stack }: RunningSystem, { buyer }: Stranded): Promise<RowLock> =>
  lockRows(
    stack.database.databaseUrl,
    'SELECT 1 FROM holding WHERE user_id = $1::uuid FOR UPDATE',
    [buyer.userId],
  );

const lockJob = (system: RunningSystem, orderId: string): Promise<RowLock> =>
  lockRows(
    system.stack.database.migrateUrl,
    `SELECT 1 FROM graphile_worker._private_jobs
     WHERE payload->>'orderId' = $1 OR key LIKE '%' || $1 FOR UPDATE`,
    [orderId],
  );

/** The second worker dies about its writes, at a retry, and right after a confirm went out. */
const strandAtWrites = async (story: Story) => {
  const { system } = story;
  const { databaseUrl } = system.stack.database;
  await place(
    story,
    'a retry asked what became of the first try',
    'the provider said bought and nothing was written',
    'all was written and the job not reported as done',
    'the confirm was on its way and done after the death',
  );
  await fault(system, 'buy-confirm', 'error');
  // The first try is told. The retry waits for an answer.
  await fault(system, 'buy-status', 'slow', { delayMs: 1 });
  await fault(system, 'buy-status', 'timeout', long);
  const worker = await system.startWorker(doomed);
  const again = await strand(story, 'a retry asked what became of the first try');
  await system.untilTransition(again.buy.orderId, 'PAID>RETRY_PENDING');
  await system.advance(6);
  await untilCalled(system, 'buy-status', again.buy.txId, 2);

  // Both are locked out of their writes when they have their answer.
  const [knownStep, writtenStep] = [
    'the provider said bought and nothing was written',
    'all was written and the job not reported as done',
  ] as const;
  const held = [await lockHolding(system, placedFor(story, knownStep))];
  const write = await lockHolding(system, placedFor(story, writtenStep));
  const known = await strandToldOnce(story, knownStep);
  const written = await strandToldOnce(story, writtenStep);
  await untilBlocked(databaseUrl, 2);
  await untilCalled(system, 'buy-status', known.buy.txId);
  held.push(await lockJob(system, written.buy.orderId));
  await write.release();
  await written.buyer.becomes(written.buy.orderId, 'ALLOCATED');
  await untilBlocked(databaseUrl, 2);

  await fault(system, 'buy-confirm', 'slow', { delayMs: 3000 });
  const late = await strand(story, 'the confirm was on its way and done after the death');
  await untilCalled(system, 'buy-confirm', late.buy.txId);
  return { worker, held, late };
};

/** Kills two workers in the middle of allocations, and lets a third find what they left. */
const strandAll = async (story: Story): Promise<void> => {
  const { system } = story;
  const { redis, database } = system.runtime;
  await (await strandAtCalls(story)).kill('SIGKILL');
  await keepClaims(database.db);
  const { worker, held, late } = await strandAtWrites(story);
  await worker.kill('SIGKILL');
  for (const row of held) await row.release();
  await place(story, 'the order was paid and no worker had taken its job');
  await strand(story, 'the order was paid and no worker had taken its job');
  // A lease outlasts the call under it: it lapses only after what the dead worker sent was done.
  await eventually(async () => (await system.purchases(late.buy.txId)) === 1);
  await system.sandbox.clearFaults();
  await lapseClaims(database.db, redis);
  await system.startWorker();
  // The sweep takes orders that have not changed for a minute.
  await system.advance(61);
};

const it = runningTest({ worker: 'none', checked: 'at the end' }).extend(
  'story',
  { scope: 'file' },
  async ({ system }) => {
    const story: Story = { system, stranded: new Map() };
    await strandAll(story);
    return story;
  },
);
// In a hook, which has more time than a test.
it.beforeAll(({ story: _story }) => undefined);

describe('a worker killed (SIGKILL) at a step of an allocation', () => {
  it.for([
    ['the order was paid and no worker had taken its job', 1],
    ['the confirm was sent and not done', 2],
    ['the confirm was on its way and done after the death', 1],
    ['the confirm was done and its answer lost', 1],
    ['the confirm was answered and the status not', 1],
    ['a retry asked what became of the first try', 2],
    ['the provider said bought and nothing was written', 1],
    ['all was written and the job not reported as done', 1],
  ] as const)('%s: another one allocates it, once', async ([step, confirms], { system, story }) => {
    const { buyer, buy } = placedFor(story, step);
    await buyer.becomes(buy.orderId, 'ALLOCATED', { timeoutMs: 120_000 });
    expect(await system.sandbox.journal('buy-confirm', buy.txId)).toHaveLength(confirms);
    expect(await system.purchases(buy.txId)).toBe(1);
    expect((await buyer.portfolio()).investedPaise).toBe(100_000);
  });

  it('leaves every invariant whole, and no job behind', async ({ system }) => {
    await system.check();
    await eventually(
      async () => {
        const jobs = await system.query('SELECT id FROM graphile_worker.jobs');
        expect(jobs).toEqual([]);
      },
      { timeoutMs: 60_000 },
    );
  });
});
