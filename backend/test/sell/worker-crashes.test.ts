import { describe, expect } from 'vitest';
import type { RunningSystem } from '#test/support/open-running-system.ts';
import { runningTest } from '#test/support/running-test.ts';
import { eventually } from '#test/support/eventually.ts';
import { keepClaims, lapseClaims } from '#test/support/lapse-leases.ts';
import {
  requestSale,
  newSeller,
  payoutBecomes,
  soldOf,
  type TestSeller,
} from '#test/support/test-seller.ts';

/**
 * It waits long for the payout provider, so that it can be killed while it does: before the first
 * of two payouts gives up, however slow the machine.
 */
const doomed = { RAZORPAYX_TIMEOUT_MS: '15000', JANITOR_EVERY_MS: '600000' };
const long = { delayMs: 100_000 };

const steps = [
  ['before the contact', 'create-contact', 'timeout'],
  ['after the contact, unheard', 'create-contact', 'accept_then_timeout'],
  ['before the fund account', 'create-fund-account', 'timeout'],
  ['after the fund account, unheard', 'create-fund-account', 'accept_then_timeout'],
  ['before the payout', 'create-payout', 'timeout'],
  ['after the payout, unheard', 'create-payout', 'accept_then_timeout'],
] as const;
const operations = ['create-contact', 'create-fund-account', 'create-payout'];

interface Cut {
  readonly seller: TestSeller;
  readonly payoutId: string;
}

/** A sale whose payout is at `operation` when its worker is killed. */
const begin = async (
  system: RunningSystem,
  seller: TestSeller,
  operation: string,
): Promise<Cut> => {
  const before = (await system.sandbox.journal(operation)).length;
  const { payout } = soldOf(await requestSale(seller, '0.02'));
  await eventually(
    async () => {
      expect((await system.sandbox.journal(operation)).length).toBe(before + 1);
    },
    { timeoutMs: 60_000 },
  );
  return { seller, payoutId: payout.id };
};

/** Kills three workers one after the other, each in the middle of two payouts. */
const cutAll = async (system: RunningSystem) => {
  const cuts = new Map<string, Cut>();
  const { redis, database } = system.runtime;
  const { db } = database;
  let worker = system.processes.find(({ app }) => app === 'worker');
  const sellers = await Promise.all(steps.map(() => newSeller(system)));
  for (const operation of operations) {
    worker ??= await system.startWorker(doomed);
    for (const [step, , fault] of steps.filter(([, of]) => of === operation)) {
      const seller = sellers.pop();
      if (seller === undefined) throw new Error(`nobody sells ${step}`);
      await system.sandbox.fault('razorpayx', operation, fault, long);
      cuts.set(step, await begin(system, seller, operation));
    }
    await worker.kill('SIGKILL');
    worker = undefined;
    await keepClaims(db);
  }
  await system.sandbox.clearFaults();
  await lapseClaims(db, redis);
  await system.startWorker();
  await system.advance(120);
  return cuts;
};

const it = runningTest({ worker: doomed, checked: 'at the end' }).extend(
  'cuts',
  { scope: 'file' },
  ({ system }) => cutAll(system),
);
// In a hook, which has more time than a test.
it.beforeAll(({ cuts: _cuts }) => undefined);

describe('a worker killed (SIGKILL) in the middle of a payout and followed by another', () => {
  it.for(steps)('%s: the provider paid once', async ([step], { system, cuts }) => {
    const begun = cuts.get(step);
    if (begun === undefined) throw new Error(`nothing was begun ${step}`);
    await payoutBecomes(begun.seller, begun.payoutId, 'PAID');
    // Whatever was sent for this payout was sent under the key of its first attempt.
    const id = begun.payoutId.replaceAll('-', '');
    const sent = await system.sandbox.journal('create-payout', id);
    expect(sent.length).toBeGreaterThan(0);
    expect(await system.sandbox.journal('create-payout', `${id}-1`)).toHaveLength(sent.length);
    const rows = await system.query<{ attempt: number }>(
      'SELECT attempt_no AS attempt FROM payout_attempt WHERE payout_id = $1::uuid',
      begun.payoutId,
    );
    expect(rows).toEqual([{ attempt: 1 }]);
  });
});
