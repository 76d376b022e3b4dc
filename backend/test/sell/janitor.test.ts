import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openBuyWorld, type BuyWorld } from '#test/support/buy-world.ts';
import { eventually } from '#test/support/eventually.ts';
import { newKey } from '#test/support/story-client.ts';
import { askToSell, newSeller, type StorySeller } from '#test/support/story-seller.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 240_000 });

let world: BuyWorld;
let unverified: { seller: StorySeller; key: string };
let unheard: { seller: StorySeller; key: string };

const begin = async (seller: StorySeller, operation: string) => {
  const key = newKey();
  const before = (await world.sandbox.journal(operation)).length;
  void askToSell(seller, '0.02', { key }).catch(() => undefined);
  await eventually(async () => {
    expect((await world.sandbox.journal(operation)).length).toBe(before + 1);
  });
  return { seller, key };
};
const sellOf = async ({ client }: StorySeller): Promise<string> => {
  const sql = `SELECT id FROM gold_order WHERE user_id = $1::uuid AND type = 'SELL'`;
  const [row] = await world.query<{ id: string }>(sql, client.userId);
  return row?.id ?? '';
};

beforeAll(async () => {
  world = await openBuyWorld({ customer: { SAFEGOLD_TIMEOUT_MS: '15000' } });
  const { sandbox } = world;
  const [first, second] = await Promise.all([newSeller(world), newSeller(world)]);
  const long = { delayMs: 60_000 };
  await sandbox.fault('safegold', 'sell-verify', 'timeout', long);
  unverified = await begin(first, 'sell-verify');
  await sandbox.fault('safegold', 'sell-confirm', 'accept_then_timeout', long);
  unheard = await begin(second, 'sell-confirm');
  await world.processes.find(({ app }) => app === 'customer')?.kill('SIGKILL');
  await sandbox.clearFaults();
  await world.lapseLeases();
  await world.startCustomer();
  await world.advance(61);
});
afterAll(() => world.stop());

describe('a sell whose customer never comes back after its API was killed', () => {
  it('is given up where nothing was verified, and its gold is free', async () => {
    const { seller, key } = unverified;
    const options = { timeoutMs: 40_000 };
    await seller.client.becomes(await sellOf(seller), 'FAILED', options);
    expect((await seller.client.portfolio()).reserved).toBe('0.0000');
    const late = await askToSell(seller, '0.02', { key });
    expect(late).toMatchObject({ status: 502, code: 'PROVIDER_UNAVAILABLE' });
    expect((await askToSell(seller, '0.02')).status).toBe(201);
  });

  it('is found to be sold where the provider had confirmed it, and is paid', async () => {
    const { seller } = unheard;
    const id = await sellOf(seller);
    await seller.client.becomes(id, 'COMPLETED', { timeoutMs: 40_000 });
    expect(await world.moves(id)).toEqual([
      '>PENDING',
      'PENDING>VERIFIED',
      'VERIFIED>CONFIRMED',
      'CONFIRMED>COMPLETED',
    ]);
  });

  it('leaves every invariant whole', async () => {
    await expect(world.check()).resolves.toBeUndefined();
  });
});
