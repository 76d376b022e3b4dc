import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openBuyWorld, type BuyWorld } from '#test/support/buy-world.ts';
import { eventually } from '#test/support/eventually.ts';
import {
  askToSell,
  newSeller,
  payoutBecomes,
  soldOf,
  type StorySeller,
} from '#test/support/story-seller.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

let world: BuyWorld;

/** It waits long for the payout provider, so that it can be killed while it does. */
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

interface Cut {
  readonly seller: StorySeller;
  readonly payoutId: string;
}
const cut = new Map<string, Cut>();

/** A sell whose payout is at `operation` when its worker is killed. */
const begin = async (seller: StorySeller, operation: string): Promise<Cut> => {
  const before = (await world.sandbox.journal(operation)).length;
  const { payout } = soldOf(await askToSell(seller, '0.02'));
  await eventually(
    async () => {
      expect((await world.sandbox.journal(operation)).length).toBe(before + 1);
    },
    { timeoutMs: 30_000 },
  );
  return { seller, payoutId: payout.id };
};

beforeAll(async () => {
  world = await openBuyWorld({ worker: doomed });
  const worker = world.processes.find(({ app }) => app === 'worker');
  const sellers = await Promise.all(steps.map(() => newSeller(world)));
  for (const [index, [step, operation, fault]] of steps.entries()) {
    const seller = sellers[index];
    if (seller === undefined) throw new Error(`nobody sells ${step}`);
    await world.sandbox.fault('razorpayx', operation, fault, long);
    cut.set(step, await begin(seller, operation));
  }
  await worker?.kill('SIGKILL');
  await world.sandbox.clearFaults();
  await world.lapseLeases();
  await world.startWorker();
  await world.advance(120);
});
afterAll(() => world.stop());

describe('a worker killed (SIGKILL) in the middle of a payout and followed by another', () => {
  it.each(steps)('%s: the provider paid once', async (step) => {
    const begun = cut.get(step);
    if (begun === undefined) throw new Error(`nothing was begun ${step}`);
    await payoutBecomes(begun.seller, begun.payoutId, 'PAID');
    // Whatever was sent for this payout was sent under the key of its first attempt.
    const id = begun.payoutId.replaceAll('-', '');
    const sent = await world.sandbox.journal('create-payout', id);
    expect(sent.length).toBeGreaterThan(0);
    expect(await world.sandbox.journal('create-payout', `${id}-1`)).toHaveLength(sent.length);
    const rows = await world.query<{ attempt: number }>(
      'SELECT attempt_no AS attempt FROM payout_attempt WHERE payout_id = $1::uuid',
      begun.payoutId,
    );
    expect(rows).toEqual([{ attempt: 1 }]);
  });

  it('leaves every invariant whole, the provider having paid each once', async () => {
    await expect(world.check()).resolves.toBeUndefined();
  });
});
