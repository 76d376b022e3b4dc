import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { callTestServers } from '../../../backend/test/support/call-test-servers.ts';
import { goldTest } from '../../../backend/test/support/gold-test.ts';
import { createInstallmentFixtures, startDay } from '../../../backend/test/support/installments.ts';
import { operatorId } from '../../../backend/test/support/reviewed-buys.ts';
import { runSweeps } from '../../../backend/test/support/run-sweeps.ts';
import { openRunbook } from '../support/runbook.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

const it = goldTest()
  .extend('fixtures', { scope: 'file' }, ({ open }) => createInstallmentFixtures(open))
  .extend('env', { scope: 'file' }, async ({ open }, { onCleanup }) => {
    await callTestServers('POST', '/builds/operator');
    const home = mkdtempSync(join(tmpdir(), 'goldctl-debits-'));
    onCleanup(() => rmSync(home, { recursive: true, force: true }));
    const api = new URL(open.url).origin;
    const settingsDir = join(home, 'settings');
    mkdirSync(settingsDir);
    const endpoints = { admin: api, customer: api, accounting: api, sandbox: api, settingsDir };
    writeFileSync(join(home, 'endpoints.json'), JSON.stringify(endpoints));
    // The service's own command follows the clock of the business, which these tests move.
    const env = {
      APP_MODE: 'test',
      DATABASE_URL: open.databaseUrl,
      CREDENTIAL_PEPPER: 'dev-only-pepper-of-more-than-32-characters',
      CLOCK_CONTROL: 'true',
      CLOCK_URL: open.sandbox.url,
    };
    const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(join(home, 'env'), lines.join(''));
    return { STACK_HOME: home, XDG_CONFIG_HOME: home, GOLDCTL_TOKEN: operatorId };
  });

it('stuck-debit: lists a debit whose answer was lost, until the gateway says', async ({
  open,
  fixtures,
  env,
}) => {
  await startDay(open);
  const plan = await fixtures.newPlan();
  const day = 24 * 3600;
  const raised = await fixtures.raise(plan, 1, { token: 'token-of-asha', dueInSeconds: day });
  await open.advance(day);
  const sweep = () => runSweeps(open.gold.sweeps, 'buying-debit-installments');
  await open.gatewayFault('debit', 'reset');
  await sweep();
  await open.gatewayFault('list-payments', 'malformed', { times: 100 });
  await open.advance(2 * 3600);
  await sweep();
  const book = openRunbook('stuck-debit', env);
  const listed = await book.play('goldctl debit list');
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toContain(raised.orderId);
  expect(listed.stdout).toContain('UNKNOWN');
  const replacing = { $ID: raised.orderId };
  const timeline = await book.play('goldctl order timeline "$ID"', { replacing });
  expect(timeline.stdout).toMatch(/debit.*UNKNOWN/iu);
  await open.sandbox.control('DELETE', '/faults');
  await open.advance(61);
  await sweep();
  await fixtures.becomes(raised, 'PAID');
  expect((await book.play('goldctl debit list')).stdout).toBe('No debit is overdue.\n');
  expect(book.unplayed()).toEqual([]);
});
