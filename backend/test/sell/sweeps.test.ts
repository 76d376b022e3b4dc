import { describe, expect } from 'vitest';
import type { RunningSystem } from '#test/support/open-running-system.ts';
import { runningTest } from '#test/support/running-test.ts';
import { eventually } from '#test/support/eventually.ts';
import { newKey } from '#test/support/test-customer.ts';
import { requestSale, newSeller, type TestSeller } from '#test/support/test-seller.ts';

const begin = async (system: RunningSystem, seller: TestSeller, operation: string) => {
  const key = newKey();
  const before = (await system.sandbox.journal(operation)).length;
  void requestSale(seller, '0.02', { key }).catch(() => undefined);
  await eventually(async () => {
    expect((await system.sandbox.journal(operation)).length).toBe(before + 1);
  });
  return { seller, key };
};
const sellOf = async (system: RunningSystem, { client }: TestSeller): Promise<string> => {
  const sql = `SELECT id FROM gold_order WHERE user_id = $1::uuid AND type = 'SELL'`;
  const [row] = await system.query<{ id: string }>(sql, client.userId);
  return row?.id ?? '';
};

/** Kills the API in the middle of two sales whose customers do not come back. */
const leaveSales = async (system: RunningSystem) => {
  const { sandbox } = system;
  const [first, second] = await Promise.all([newSeller(system), newSeller(system)]);
  const long = { delayMs: 60_000 };
  await sandbox.fault('safegold', 'sell-verify', 'timeout', long);
  const unverified = await begin(system, first, 'sell-verify');
  await sandbox.fault('safegold', 'sell-confirm', 'accept_then_timeout', long);
  const unheard = await begin(system, second, 'sell-confirm');
  await system.processes.find(({ app }) => app === 'customer')?.kill('SIGKILL');
  await sandbox.clearFaults();
  await system.lapseLeases();
  await system.startCustomer();
  await system.advance(61);
  return { unverified, unheard };
};

const it = runningTest({
  customer: { SAFEGOLD_TIMEOUT_MS: '15000' },
  checked: 'at the end',
}).extend('left', { scope: 'file' }, ({ system }) => leaveSales(system));
// In a hook, which has more time than a test.
it.beforeAll(({ left: _left }) => undefined);

describe('a sale whose customer never comes back after its API was killed', () => {
  it('is given up where nothing was verified, and its gold is free', async ({ system, left }) => {
    const { seller, key } = left.unverified;
    const options = { timeoutMs: 60_000 };
    await seller.client.becomes(await sellOf(system, seller), 'FAILED', options);
    expect((await seller.client.portfolio()).reserved).toBe('0.0000');
    const late = await requestSale(seller, '0.02', { key });
    expect(late).toMatchObject({ status: 502, code: 'PROVIDER_UNAVAILABLE' });
    expect((await requestSale(seller, '0.02')).status).toBe(201);
  });

  it('is found to be sold where the provider had confirmed it, and is paid', async ({
    system,
    left,
  }) => {
    const { seller } = left.unheard;
    const id = await sellOf(system, seller);
    await seller.client.becomes(id, 'COMPLETED', { timeoutMs: 60_000 });
    expect(await system.transitions(id)).toEqual([
      '>PENDING',
      'PENDING>VERIFIED',
      'VERIFIED>CONFIRMED',
      'CONFIRMED>COMPLETED',
    ]);
  });
});
