import { describe, expect } from 'vitest';
import type { RunningSystem } from '#test/support/open-running-system.ts';
import { runningTest } from '#test/support/running-test.ts';
import { holdInserts, untilBlocked } from '#test/support/lock-rows.ts';
import { eventually } from '#test/support/eventually.ts';
import { newKey } from '#test/support/test-customer.ts';
import {
  requestSale,
  newSeller,
  payoutBecomes,
  soldOf,
  type TestSeller,
} from '#test/support/test-seller.ts';

/**
 * It waits long for the provider, so that it can be killed while it does: before the first of two
 * sells gives up, however slow the machine.
 */
const doomed = { SAFEGOLD_TIMEOUT_MS: '15000', DATABASE_LOCK_WAIT_MS: '25000' };
const long = { delayMs: 60_000 };

interface Cut {
  readonly seller: TestSeller;
  readonly key: string;
}
/** By the step that they were cut off at. */
type Cuts = Map<string, Cut>;

const sellOf = async (system: RunningSystem, { seller }: Cut) => {
  const rows = await system.query<{ id: string; status: string; tx: string | null }>(
    `SELECT id, status, provider_tx_id AS tx FROM gold_order
     WHERE user_id = $1::uuid AND type = 'SELL'`,
    seller.client.userId,
  );
  expect(rows.length).toBeLessThan(2);
  return rows[0];
};

/** A sale whose request is cut off when its API is killed while it waits for `operation`. */
const begin = async (
  system: RunningSystem,
  cuts: Cuts,
  step: string,
  operation: string,
): Promise<Cut> => {
  const seller = cuts.get(step)?.seller;
  if (seller === undefined) throw new Error(`nobody sells ${step}`);
  const begun = { seller, key: newKey() };
  cuts.set(step, begun);
  const before = (await system.sandbox.journal(operation)).length;
  void requestSale(seller, '0.02', { key: begun.key }).catch(() => undefined);
  await eventually(async () => {
    expect((await system.sandbox.journal(operation)).length).toBe(before + 1);
  });
  return begun;
};

const steps = [
  ['before the verify', 'PENDING'],
  ['after the verify, unheard', 'PENDING'],
  ['before the confirm', 'VERIFIED'],
  ['after the confirm, unheard', 'VERIFIED'],
  ['before it asked for the status', 'VERIFIED'],
  ['while it wrote that it was sold', 'VERIFIED'],
] as const;

/** Kills three APIs one after the other, each in the middle of two sales. */
const cutAll = async (system: RunningSystem): Promise<Cuts> => {
  const { sandbox } = system;
  const cuts: Cuts = new Map();
  const killApi = () => system.processes.findLast(({ app }) => app === 'customer')?.kill('SIGKILL');
  const sellers = await Promise.all(steps.map(() => newSeller(system)));
  for (const [index, [step]] of steps.entries()) {
    const seller = sellers[index];
    if (seller !== undefined) cuts.set(step, { seller, key: '' });
  }
  await sandbox.fault('safegold', 'sell-verify', 'timeout', long);
  await begin(system, cuts, 'before the verify', 'sell-verify');
  await sandbox.fault('safegold', 'sell-verify', 'accept_then_timeout', long);
  await begin(system, cuts, 'after the verify, unheard', 'sell-verify');
  await killApi();

  await system.startCustomer(doomed);
  await sandbox.fault('safegold', 'sell-confirm', 'timeout', long);
  await begin(system, cuts, 'before the confirm', 'sell-confirm');
  await sandbox.fault('safegold', 'sell-confirm', 'accept_then_timeout', long);
  await begin(system, cuts, 'after the confirm, unheard', 'sell-confirm');
  await killApi();

  await system.startCustomer(doomed);
  await sandbox.fault('safegold', 'sell-status', 'timeout', long);
  await begin(system, cuts, 'before it asked for the status', 'sell-status');
  const { databaseUrl, migrateUrl } = system.stack.database;
  // A sale's payout is written with its end alone.
  const payouts = await holdInserts(migrateUrl, 'payout');
  await begin(system, cuts, 'while it wrote that it was sold', 'sell-status');
  await untilBlocked(databaseUrl, 1);
  await killApi();
  await payouts.release();
  await sandbox.clearFaults();
  await system.lapseLeases();
  await system.startCustomer();
  return cuts;
};

const it = runningTest({
  customer: doomed,
  // The sweep is slower than the test: here the customer's repeat has to find the way.
  worker: { JANITOR_EVERY_MS: '600000' },
  checked: 'at the end',
}).extend('cuts', { scope: 'file' }, ({ system }) => cutAll(system));
// In a hook, which has more time than a test.
it.beforeAll(({ cuts: _cuts }) => undefined);

describe('a customer API killed (SIGKILL) in the middle of a sale and started again', () => {
  it.for(steps)(
    '%s: it stood at %s, and the same key sells once',
    async ([step, status], { system, cuts }) => {
      const begun = cuts.get(step);
      if (begun === undefined) throw new Error(`nothing was begun ${step}`);
      const before = await sellOf(system, begun);
      // Of all of these, the first to be repeated may be at its end already.
      expect(before?.status).toBe(status);
      const answer = await requestSale(begun.seller, '0.02', { key: begun.key });
      expect(answer).toMatchObject({ status: 201 });
      const sold = soldOf(answer);
      expect(sold.order.id).toBe(before?.id);
      expect(sold.order.status).toMatch(/^(?:CONFIRMED|COMPLETED)$/u);
      await payoutBecomes(begun.seller, sold.payout.id, 'PAID');
      const again = await requestSale(begun.seller, '0.02', { key: begun.key });
      expect(again.status).toBe(200);
      expect(soldOf(again).order.id).toBe(before?.id);
    },
  );
});
