import { expect } from 'vitest';
import { eventually } from '../../../backend/test/support/eventually.ts';
import type { RunningSystem } from '../../../backend/test/support/open-running-system.ts';
import { openRunbook } from '../support/runbook.ts';
import { drillTest } from './drill.ts';

const it = drillTest();

const day = 24 * 3600;

/** A plan whose first debit is due in a few days. */
const planWithMandate = async (system: RunningSystem) => {
  const client = await system.newCustomer();
  const start = new Date(Date.now() + 3 * day * 1000).toISOString().slice(0, 10);
  const made = await client.call('POST', '/gold/sip', {
    amount_inr: '500.00',
    frequency: 'MONTHLY',
    duration_installments: 12,
    start_date: start,
    mandate_token: 'token-of-asha',
    idempotency_key: 'a-plan-under-a-mandate',
  });
  expect(made.status).toBe(201);
  return { client };
};

it('DigitalGoldDebitsUndecided', async ({ system, env, drill }) => {
  const { client } = await planWithMandate(system);
  const book = openRunbook('stuck-debit', env);
  const newest = async () => {
    const [row] = await system.query<{ orderId: string; status: string | null }>(
      `SELECT order_id AS "orderId", debit_status AS status FROM payment_order
       WHERE user_id = $1::uuid`,
      client.userId,
    );
    return row;
  };
  const isUndecided = async () => (await newest())?.status === 'UNKNOWN';
  await drill({
    alert: 'DigitalGoldDebitsUndecided',
    fault: 'the response to a debit is lost, and the gateway does not report its result',
    runbook: 'stuck-debit',
    async cause() {
      await system.sandbox.fault('sandbox-gateway', 'debit', 'reset', { times: 1 });
      await system.sandbox.fault('sandbox-gateway', 'list-payments', 'malformed', {
        times: 100_000,
      });
      // Its notice goes out a day before: the clock takes steps that the sweeps can follow.
      await eventually(
        async () => {
          if (await isUndecided()) return true;
          await system.advance(day / 4);
          return isUndecided();
        },
        { timeoutMs: 180_000, everyMs: 1500 },
      );
      await system.advance(2 * 3600);
    },
    async clear() {
      const orderId = (await newest())?.orderId ?? '';
      expect((await book.play('goldctl debit list')).stdout).toContain(orderId);
      const replacing = { $ID: orderId };
      const timeline = await book.play('goldctl order timeline "$ID"', { replacing });
      expect(timeline.stdout).toMatch(/debit.*UNKNOWN/iu);
      await system.sandbox.clearFaults();
      await system.advance(61);
      await client.becomes(orderId, 'ALLOCATED');
      expect((await book.play('goldctl debit list')).stdout).toBe('No debit is overdue.\n');
    },
  });
});
