import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import { eventually } from '../../../backend/test/support/eventually.ts';
import type { RunningSystem } from '../../../backend/test/support/open-running-system.ts';
import { newSeller, requestSale } from '../../../backend/test/support/test-seller.ts';
import { repository } from '../support/stack-home.ts';
import { drillTest } from './drill.ts';

const it = drillTest();

const folder = join(repository, 'charts', 'digital-gold', 'dashboards');

const dashboardSchema = z.object({
  panels: z.array(
    z.object({
      title: z.string(),
      targets: z.array(z.object({ expr: z.string() })).optional(),
    }),
  ),
});

/** Every query of every panel, with the namespace that Grafana would put in. */
const queries = readdirSync(folder).flatMap((file) => {
  const { panels } = dashboardSchema.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')));
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      panel: `${file}: ${title}: ${expr}`,
      query: expr.replaceAll('$namespace', '.*'),
    })),
  );
});

/** A customer buys, looks at prices and requests a code. */
const round = async (system: RunningSystem): Promise<void> => {
  const client = await system.newCustomer();
  const { call } = client;
  const buy = await client.buy('500');
  await system.sandbox.pay(buy.gatewayOrderId);
  await client.becomes(buy.orderId, 'ALLOCATED');
  await call('GET', '/price/history?range=1d');
  const phone = `+91981235${String(Math.floor(Math.random() * 10_000)).padStart(4, '0')}`;
  await system.as(undefined)('POST', '/auth/send-otp', { phone });
};

/** The provider fails until a customer notices. */
const trouble = async (system: RunningSystem): Promise<void> => {
  const { call } = await system.newCustomer();
  await system.sandbox.fault('safegold', '*', 'error', { times: 100_000 });
  const ask = async (): Promise<void> => {
    const answer = await call('POST', '/gold/quote', { unit: 'INR', amount: '500' });
    expect(answer.status).toBe(502);
  };
  await eventually(ask, { timeoutMs: 60_000, everyMs: 1500 });
  await system.sandbox.clearFaults();
};

it('every panel has data on a stack under load', async ({ system, prometheus }) => {
  const seller = await newSeller(system);
  await requestSale(seller, '0.0200');
  await trouble(system);
  expect(queries.length).toBeGreaterThan(50);
  let empty: string[] = [];
  try {
    await eventually(
      async () => {
        // While the circuit of the provider is open nobody can begin to buy.
        await eventually(() => round(system), { everyMs: 2000 });
        const counts = await Promise.all(queries.map(({ query }) => prometheus.ask(query)));
        empty = queries.filter((_, index) => counts[index] === 0).map(({ panel }) => panel);
        return empty.length === 0;
      },
      { timeoutMs: 120_000, everyMs: 2000 },
    );
  } catch {
    // Which panels those are is shown below.
  }
  expect(empty).toEqual([]);
});
