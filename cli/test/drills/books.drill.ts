import { expect } from 'vitest';
import type { RunningSystem } from '../../../backend/test/support/open-running-system.ts';
import {
  newSeller,
  payoutBecomes,
  requestSale,
  soldOf,
} from '../../../backend/test/support/test-seller.ts';
import { openRunbook } from '../support/runbook.ts';
import { drillTest } from './drill.ts';
import { asOwner, refuseRows } from './faults.ts';

const it = drillTest();

/** A buy whose gold its customer has. */
const allocated = async (system: RunningSystem) => {
  const client = await system.newCustomer();
  const buy = await client.buy('500');
  await system.sandbox.pay(buy.gatewayOrderId);
  await client.becomes(buy.orderId, 'ALLOCATED');
  return { client, buy };
};

it('DigitalGoldDeadJobs', async ({ system, env, drill }) => {
  const { buy } = await allocated(system);
  const book = openRunbook('dead-letter-jobs', env);
  let id = '';
  await drill({
    alert: 'DigitalGoldDeadJobs',
    fault: 'a job has used up its attempts',
    runbook: 'dead-letter-jobs',
    async cause() {
      const [job] = await asOwner<{ id: string }>(
        system,
        `SELECT id::text FROM graphile_worker.add_job('gold.allocate',
           json_build_object('orderId', '${buy.orderId}'), run_at => now() + interval '1 hour')`,
      );
      id = job?.id ?? '';
      await asOwner(
        system,
        `UPDATE graphile_worker._private_jobs
         SET attempts = max_attempts, run_at = now(), last_error = 'the provider did not answer'
         WHERE id = ${id}`,
      );
    },
    async clear() {
      expect((await book.play('goldctl jobs list')).stdout).toContain(id);
      const retried = await book.play('goldctl jobs retry ID', { replacing: { ID: id } });
      expect(retried.code).toBe(0);
    },
  });
});

const freshReport = 'goldctl reconcile --fresh --window-hours 72';

it('DigitalGoldReconciliationFindings', async ({ system, env, drill }) => {
  const seller = await newSeller(system);
  const { payout } = soldOf(await requestSale(seller, '0.0200'));
  await payoutBecomes(seller, payout.id, 'PAID');
  const book = openRunbook('reconciliation', env);
  const change = (by: string) =>
    asOwner(
      system,
      `UPDATE payout SET amount_paise = amount_paise ${by} WHERE id = '${payout.id}'`,
    );
  await drill({
    alert: 'DigitalGoldReconciliationFindings',
    fault: "a payout's amount differs from its sale's",
    runbook: 'reconciliation',
    async cause() {
      await change('+ 1');
      expect((await book.play(freshReport)).code).toBe(3);
    },
    async clear() {
      const shown = await book.play('goldctl reconcile --window-hours 72 --samples');
      expect(shown.stdout).toContain(payout.id);
      await change('- 1');
      expect((await book.play(freshReport)).code).toBe(0);
    },
  });
});

it('DigitalGoldReconciliationLate', async ({ system, env, drill }) => {
  const book = openRunbook('reconciliation', env);
  expect((await book.play(freshReport)).code).toBe(0);
  const takeRows = await refuseRows(system, 'reconciliation_run');
  await drill({
    alert: 'DigitalGoldReconciliationLate',
    fault: 'the database rejects new runs, for three hours',
    runbook: 'reconciliation',
    cause: () => system.advance(3 * 3600 + 60),
    async clear() {
      expect((await book.play(freshReport)).code).toBe(1);
      await takeRows();
      expect((await book.play(freshReport)).code).toBe(0);
    },
  });
});

/** Has a worker check every rule of the database now, as it does each night. */
const runRules = async (system: RunningSystem): Promise<void> => {
  const ask = await system.signInAdmin('ADMIN');
  const made = await ask('POST', '/reconciliation/runs', { kind: 'DATABASE_RULES' });
  expect(made.status).toBe(202);
};

it.for(['DigitalGoldLedgerDrift', 'DigitalGoldRuleBroken'])(
  '%s',
  async (alert, { system, drill }) => {
    const { client } = await allocated(system);
    const change = (by: string) =>
      asOwner(
        system,
        `UPDATE holding SET balance = balance ${by} WHERE user_id = '${client.userId}'`,
      );
    await drill({
      alert,
      fault: "a holding has half a gram more than its customer's orders",
      runbook: 'reconciliation',
      async cause() {
        await change('+ 0.5');
        await runRules(system);
      },
      async clear() {
        await change('- 0.5');
        await runRules(system);
      },
    });
  },
);

it('DigitalGoldProofRefused and DigitalGoldProofOld', async ({ system, env, drill }) => {
  await allocated(system);
  const book = openRunbook('proof-of-gold', env);
  const publish = 'goldctl proof publish';
  expect(await book.play(publish)).toMatchObject({ code: 0 });
  const differ = (times: number) =>
    system.sandbox.control('POST', '/faults', {
      collaborator: 'safegold',
      operation: 'get-user',
      fault: 'wrong_amount',
      times,
    });
  const signs = async (): Promise<void> => {
    expect((await book.play('goldctl proof list')).stdout).toContain('BOOKS_DIFFER');
    await system.sandbox.clearFaults();
    expect(await book.play(publish)).toMatchObject({ code: 0 });
  };
  await drill({
    alert: 'DigitalGoldProofRefused',
    fault: "the gold provider's balance differs",
    runbook: 'proof-of-gold',
    async cause() {
      await differ(1);
      expect(await book.play(publish)).toMatchObject({ code: 3 });
    },
    clear: signs,
  });
  await drill({
    alert: 'DigitalGoldProofOld',
    fault: "the gold provider's balance differs, for 30 hours",
    runbook: 'proof-of-gold',
    async cause() {
      await differ(100_000);
      await system.advance(30 * 3600 + 60);
    },
    clear: signs,
  });
});
