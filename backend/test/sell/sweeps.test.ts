import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRunningSystem, type RunningSystem } from '#test/support/open-running-system.ts';
import { eventually } from '#test/support/eventually.ts';
import { newKey } from '#test/support/test-customer.ts';
import { requestSale, newSeller, type TestSeller } from '#test/support/test-seller.ts';

let system: RunningSystem;
let unverified: { seller: TestSeller; key: string };
let unheard: { seller: TestSeller; key: string };

const begin = async (seller: TestSeller, operation: string) => {
  const key = newKey();
  const before = (await system.sandbox.journal(operation)).length;
  void requestSale(seller, '0.02', { key }).catch(() => undefined);
  await eventually(async () => {
    expect((await system.sandbox.journal(operation)).length).toBe(before + 1);
  });
  return { seller, key };
};
const sellOf = async ({ client }: TestSeller): Promise<string> => {
  const sql = `SELECT id FROM gold_order WHERE user_id = $1::uuid AND type = 'SELL'`;
  const [row] = await system.query<{ id: string }>(sql, client.userId);
  return row?.id ?? '';
};

beforeAll(async () => {
  system = await openRunningSystem({ customer: { SAFEGOLD_TIMEOUT_MS: '15000' } });
  const { sandbox } = system;
  const [first, second] = await Promise.all([newSeller(system), newSeller(system)]);
  const long = { delayMs: 60_000 };
  await sandbox.fault('safegold', 'sell-verify', 'timeout', long);
  unverified = await begin(first, 'sell-verify');
  await sandbox.fault('safegold', 'sell-confirm', 'accept_then_timeout', long);
  unheard = await begin(second, 'sell-confirm');
  await system.processes.find(({ app }) => app === 'customer')?.kill('SIGKILL');
  await sandbox.clearFaults();
  await system.lapseLeases();
  await system.startCustomer();
  await system.advance(61);
});
afterAll(() => system.stop());

describe('a sale whose customer never comes back after its API was killed', () => {
  it('is given up where nothing was verified, and its gold is free', async () => {
    const { seller, key } = unverified;
    const options = { timeoutMs: 40_000 };
    await seller.client.becomes(await sellOf(seller), 'FAILED', options);
    expect((await seller.client.portfolio()).reserved).toBe('0.0000');
    const late = await requestSale(seller, '0.02', { key });
    expect(late).toMatchObject({ status: 502, code: 'PROVIDER_UNAVAILABLE' });
    expect((await requestSale(seller, '0.02')).status).toBe(201);
  });

  it('is found to be sold where the provider had confirmed it, and is paid', async () => {
    const { seller } = unheard;
    const id = await sellOf(seller);
    await seller.client.becomes(id, 'COMPLETED', { timeoutMs: 40_000 });
    expect(await system.transitions(id)).toEqual([
      '>PENDING',
      'PENDING>VERIFIED',
      'VERIFIED>CONFIRMED',
      'CONFIRMED>COMPLETED',
    ]);
  });

  it('leaves every invariant whole', async () => {
    await expect(system.check()).resolves.toBeUndefined();
  });
});
