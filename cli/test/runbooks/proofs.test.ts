import { expect, vi } from 'vitest';
import { runningTest } from '../../../backend/test/support/running-test.ts';
import { openRunbook } from '../support/runbook.ts';
import { writeStackHome } from '../support/stack-home.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

const it = runningTest({ withAdmin: true, checked: 'at the end' }).extend(
  'env',
  { scope: 'file' },
  async ({ system }, { onCleanup }) => {
    const home = await writeStackHome(system.stack);
    onCleanup(() => home.remove());
    return home.env;
  },
);

it('proof-of-gold: says whose books differ, and signs once they agree', async ({ system, env }) => {
  const client = await system.newCustomer();
  const buy = await client.buy('500');
  await system.sandbox.pay(buy.gatewayOrderId);
  await client.becomes(buy.orderId, 'ALLOCATED');
  const book = openRunbook('proof-of-gold', env);
  const fault = { collaborator: 'safegold', operation: 'get-user', fault: 'wrong_amount' };
  // It lasts, since the worker's own reconciliation may query the same account meanwhile.
  await system.sandbox.control('POST', '/faults', { ...fault, times: 1000 });
  const publish = 'goldctl proof publish';
  expect(await book.play(publish)).toMatchObject({ code: 3 });
  expect((await book.play('goldctl proof list')).stdout).toContain('BOOKS_DIFFER');
  const newest = await book.play('goldctl proof list --limit 1 -o json');
  expect(newest.stdout).toMatch(/"samples": \[\s*\{/u);
  const check = await book.play('goldctl check');
  expect(check.stdout).toContain('√ the gold provider answers');
  await system.sandbox.control('DELETE', '/faults');
  expect(await book.play(publish)).toMatchObject({ code: 0 });
  expect(await client.call('GET', '/portfolio/proof')).toMatchObject({ status: 200 });
  expect(book.unplayed()).toEqual([]);
});
