import { expect, onTestFinished } from 'vitest';
import { createCaller, type Json } from '#test/support/caller.ts';
import { openCuttableServer } from '#test/support/cuttable-server.ts';
import { eventually } from '#test/support/eventually.ts';
import type { RunningSystem } from '#test/support/open-running-system.ts';
import { runningTest } from '#test/support/running-test.ts';
import type { StartedProcess } from '#test/support/start-process.ts';

const it = runningTest({ worker: 'none', checked: 'at the end' });

/** Work goes on within this time of the new server's first answer. */
const backInTime = { timeoutMs: 15_000 };

/** Stands before PostgreSQL, for processes that are given its address. */
const openHole = async ({ stack }: RunningSystem) => {
  const hole = await openCuttableServer(stack.database.databaseUrl);
  onTestFinished(() => hole.close());
  return { hole, env: { DATABASE_URL: hole.url } };
};

const readiness = async ({ internalUrl }: StartedProcess): Promise<Json> => {
  const { status, body } = await createCaller(internalUrl)('GET', '/readyz');
  return { status, body };
};

/** Pays for gold by an API that reaches the database: the job of its allocation is on the queue. */
const payForGold = async (system: RunningSystem) => {
  const buyer = await system.newCustomer();
  const { orderId, gatewayOrderId } = await buyer.buy();
  await system.sandbox.pay(gatewayOrderId);
  await system.untilTransition(orderId, 'PENDING>PAID');
  const becomesAllocated = (options = {}) => buyer.becomes(orderId, 'ALLOCATED', options);
  return { buyer, orderId, becomesAllocated };
};

it('a process works on 15 s after a vanished database answers again, and is not ready before', async ({
  system,
}) => {
  const { hole, env } = await openHole(system);
  const processes = await Promise.all([system.startCustomer(env), system.startWorker(env)]);
  const [api] = processes;
  const { becomesAllocated, buyer } = await payForGold(system);
  await becomesAllocated();
  const read = () => buyer.callAt(api.url)('GET', '/users/me');
  expect(await read()).toMatchObject({ status: 200 });

  hole.vanish();
  const waiting = await payForGold(system);
  for (const each of processes) {
    await eventually(async () => {
      const body = { checks: { database: 'failed' } };
      expect(await readiness(each)).toMatchObject({ status: 503, body });
    });
  }
  expect(await system.transitions(waiting.orderId)).toEqual(['>PENDING', 'PENDING>PAID']);
  hole.reappear();
  await Promise.all([
    waiting.becomesAllocated(backInTime),
    eventually(async () => expect(await read()).toMatchObject({ status: 200 }), backInTime),
    ...processes.map((each) =>
      eventually(
        async () => expect(await readiness(each)).toMatchObject({ status: 200 }),
        backInTime,
      ),
    ),
  ]);

  // Another server answers new connections at once, and earlier connections stay silent.
  hole.vanish();
  hole.reappear();
  const next = await payForGold(system);
  await next.becomesAllocated(backInTime);
  const ends = await Promise.all(processes.map((each) => each.kill()));
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
});

it('a process is not ready where jobs wait behind connections that are silent, and stops in time', async ({
  system,
}) => {
  const { hole, env } = await openHole(system);
  hole.loseAt('_private_jobs');
  const worker = await system.startWorker({ ...env, JOB_STANDSTILL_SECONDS: '2' });
  await payForGold(system);
  await eventually(async () => {
    const body = { checks: { database: 'ok', jobs: 'failed' } };
    expect(await readiness(worker)).toMatchObject({ status: 503, body });
  });
  expect((await worker.kill()).code).toBe(0);
});

it('a process stops in time and in order while the database is gone, wherever that found it', async ({
  system,
}) => {
  const { hole, env } = await openHole(system);
  hole.loseAt('LISTEN "jobs:insert"');
  const processes = await Promise.all([system.startCustomer(env), system.startWorker(env)]);
  const { becomesAllocated } = await payForGold(system);
  await becomesAllocated();
  hole.vanish();
  const ends = await Promise.all(processes.map((each) => each.kill()));
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
  for (const each of processes) expect(each.log()).toContain('"msg":"closed"');
});
