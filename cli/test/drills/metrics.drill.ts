import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import { newSeller, requestSale } from '../../../backend/test/support/test-seller.ts';
import { repository } from '../support/stack-home.ts';
import { drillTest } from './drill.ts';

const it = drillTest();

const promtool = join(repository, '.tools', 'bin', 'promtool');

it('promtool finds nothing in what the processes serve', async ({ system }) => {
  await requestSale(await newSeller(system), '0.0200');
  const accounting = await system.stack.start('accounting');
  const started = [...system.processes, accounting];
  const served = started.filter(({ app }) => app !== 'sandbox');
  const apps = served.map(({ app }) => app).toSorted();
  expect(apps).toEqual(['accounting', 'admin', 'customer', 'worker']);
  for (const { internalUrl } of served) {
    const input = await (await fetch(`${internalUrl}/metrics`)).text();
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], {
      input,
      encoding: 'utf8',
    });
    expect(`${stdout}${stderr}`).toBe('');
    expect(status).toBe(0);
  }
});
