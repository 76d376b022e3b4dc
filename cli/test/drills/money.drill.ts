import { expect } from 'vitest';
import { withConnection } from '../../../backend/dev/stack/database-setup.ts';
import { createCaller } from '../../../backend/test/support/caller.ts';
import { eventually } from '../../../backend/test/support/eventually.ts';
import type { RunningSystem } from '../../../backend/test/support/open-running-system.ts';
import type { PlayedPayment } from '../../../backend/test/support/sandbox-controls.ts';
import {
  breakOrdersFor,
  installOrderBreaker,
} from '../../../backend/test/support/order-breaker.ts';
import {
  newSeller,
  payoutBecomes,
  requestSale,
  soldOf,
} from '../../../backend/test/support/test-seller.ts';
import { openRunbook } from '../support/runbook.ts';
import { drillTest } from './drill.ts';

const it = drillTest();

const day = 24 * 3600;

/** A sale whose payout the sandbox leaves open. */
const openPayout = async (system: RunningSystem) => {
  const seller = await newSeller(system, { accountEnd: '9999' });
  const { payout } = soldOf(await requestSale(seller, '0.0200'));
  await payoutBecomes(seller, payout.id, 'PROCESSING');
  const ends = async (outcome: string, status: string): Promise<void> => {
    // It is PROCESSING here before the provider has received it.
    await eventually(() => system.sandbox.control('POST', `/payouts/${payout.id}`, { outcome }));
    await payoutBecomes(seller, payout.id, status);
  };
  return { seller, payout, ends };
};

it('DigitalGoldPayoutsFailed', async ({ system, env, drill }) => {
  const { seller, payout, ends } = await openPayout(system);
  const book = openRunbook('payouts-failed', env);
  await drill({
    alert: 'DigitalGoldPayoutsFailed',
    fault: 'the bank refuses a payout',
    runbook: 'payouts-failed',
    cause: () => ends('failed', 'FAILED'),
    async clear() {
      const listed = await book.play('goldctl payout list --status FAILED');
      expect(listed.stdout).toContain(payout.id);
      const line = 'goldctl payout retry "$ID" --note "the bank is back"';
      const replacing = { $ID: payout.id };
      expect((await book.play(line, { replacing, typed: ['y'] })).code).toBe(0);
      await payoutBecomes(seller, payout.id, 'PROCESSING');
      await ends('processed', 'PAID');
    },
  });
});

/** Keeps the jobs that wait from every worker, as a hung session in the database does. */
const holdJobs = async (
  system: RunningSystem,
  work: (release: () => Promise<unknown>) => Promise<void>,
): Promise<void> => {
  await withConnection(system.stack.database.migrateUrl, async (owner) => {
    await owner.query('BEGIN');
    await owner.query('SELECT id FROM graphile_worker._private_jobs FOR UPDATE');
    await work(() => owner.query('ROLLBACK'));
  });
};

/** A buy that is paid while no worker runs. */
const paidUnattended = async (system: RunningSystem) => {
  await system.processes.findLast(({ app }) => app === 'worker')?.kill();
  const client = await system.newCustomer();
  const buy = await client.buy('500');
  await system.sandbox.pay(buy.gatewayOrderId);
  await client.becomes(buy.orderId, 'PAID');
  return { client, buy };
};

it('DigitalGoldJobsStandStill', async ({ system, env, drill }) => {
  const { client, buy } = await paidUnattended(system);
  const stands = openRunbook('jobs-stand-still', env);
  await holdJobs(system, async (release) => {
    await system.startWorker();
    await drill({
      alert: 'DigitalGoldJobsStandStill',
      fault: 'a database session locks the rows of the jobs',
      runbook: 'jobs-stand-still',
      cause: async () => {},
      async clear() {
        const queued = await stands.play('goldctl jobs list --status queued');
        expect(queued.stdout).toContain('gold.allocate');
        await release();
      },
    });
  });
  await client.becomes(buy.orderId, 'ALLOCATED');
});

it('DigitalGoldAllocationBudget', async ({ system, env, drill }) => {
  const book = openRunbook('allocation-late', env);
  const { client, buy } = await paidUnattended(system);
  await drill({
    alert: 'DigitalGoldAllocationBudget',
    fault: 'an order is paid while no worker runs; a worker that starts after 90 s allocates it',
    runbook: 'allocation-late',
    async cause() {
      const waiting = await book.play('goldctl order list --status PAID');
      expect(waiting.stdout).toContain(buy.orderId);
      await system.advance(90);
      await system.startWorker();
      await client.becomes(buy.orderId, 'ALLOCATED');
    },
    async clear() {
      const check = 'goldctl check --category operations --category collaborators';
      expect((await book.play(check)).stdout).toMatch(/√ due jobs are done/u);
    },
  });
});

it('DigitalGoldOrdersWithoutGold and DigitalGoldReviewsWaiting', async ({ system, env, drill }) => {
  const { client, buy } = await paidUnattended(system);
  const review = openRunbook('manual-review', env);
  const late = openRunbook('allocation-late', env);
  await holdJobs(system, async (release) => {
    await system.startWorker();
    await drill({
      alert: 'DigitalGoldOrdersWithoutGold',
      fault: 'an order is paid while no worker runs, for 15 minutes: its price lock ends',
      runbook: 'allocation-late',
      cause: () => system.advance(910),
      async clear() {
        const waiting = await late.play('goldctl order list --status PAID');
        expect(waiting.stdout).toContain(buy.orderId);
        await release();
      },
    });
  });
  await client.becomes(buy.orderId, 'MANUAL_REVIEW', { code: 'PROVIDER_LOCK_EXPIRED' });
  await drill({
    alert: 'DigitalGoldReviewsWaiting',
    fault: 'the order under review is not resolved for four hours',
    runbook: 'manual-review',
    cause: () => system.advance(4 * 3600 + 60),
    async clear() {
      expect((await review.play('goldctl review list')).stdout).toContain(buy.orderId);
      const payments = await system.query<{ id: string }>(
        `SELECT gateway_payment_id AS id FROM gateway_payment WHERE payment_order_id = $1::uuid`,
        buy.paymentOrderId,
      );
      const refund = await system.sandbox.control('POST', `/refunds/${payments[0]?.id}`, {});
      const line =
        'goldctl order resolve "$ID" REFUNDED --reference rfnd_1 --note "customer asked for it"';
      const replacing = { $ID: buy.orderId, rfnd_1: String(refund.body['reference']) };
      expect((await review.play(line, { replacing, typed: ['y'] })).code).toBe(0);
    },
  });
});

it('DigitalGoldWebhookBacklog', async ({ system, env, drill }) => {
  const { migrateUrl } = system.stack.database;
  await installOrderBreaker(migrateUrl);
  const book = openRunbook('webhook-backlog', env);
  const client = await system.newCustomer();
  const buy = await client.buy('500');
  await drill({
    alert: 'DigitalGoldWebhookBacklog',
    fault: 'the database rejects the change that an event makes',
    runbook: 'webhook-backlog',
    async cause() {
      await breakOrdersFor(migrateUrl, 1000);
      await system.sandbox.pay(buy.gatewayOrderId);
      await eventually(async () => {
        const rows = await system.query(
          `SELECT id FROM webhook_event WHERE status = 'PENDING' AND subject = $1`,
          buy.gatewayOrderId,
        );
        expect(rows).not.toEqual([]);
      });
      await system.advance(910);
    },
    async clear() {
      const listed = await book.play('goldctl webhooks list');
      expect(listed.stdout).toContain(buy.gatewayOrderId);
      await breakOrdersFor(migrateUrl, 0);
      const [event] = await system.query<{ id: string }>(
        `SELECT id FROM webhook_event WHERE status = 'PENDING' ORDER BY received_at LIMIT 1`,
      );
      const replacing = { ID: event?.id ?? '' };
      await book.play('goldctl webhooks replay ID', { replacing, typed: ['y'] });
    },
  });
});

it('DigitalGoldUnreadRows', async ({ system, env, drill }) => {
  const client = await system.newCustomer();
  const buy = await client.buy('500');
  const book = openRunbook('unread-rows', env);
  let paid: PlayedPayment | undefined;
  const verify = async (): Promise<void> => {
    if (paid !== undefined) await client.verify(buy.paymentOrderId, paid);
  };
  await drill({
    alert: 'DigitalGoldUnreadRows',
    fault: 'the gateway lists a payment in an unknown form',
    runbook: 'unread-rows',
    async cause() {
      await system.sandbox.fault('sandbox-gateway', 'list-payments', 'odd_row', { times: 1000 });
      paid = await system.sandbox.pay(buy.gatewayOrderId, { deliver: 'none' });
      await verify();
    },
    async clear() {
      const show = 'goldctl order show ORDER';
      const waiting = await book.play(show, { replacing: { ORDER: buy.orderId } });
      expect(waiting.stdout).toMatch(/^status +PENDING/mu);
      await system.sandbox.clearFaults();
      await verify();
      await client.becomes(buy.orderId, 'ALLOCATED');
    },
  });
});

it('DigitalGoldPayoutsLate', async ({ system, env, drill }) => {
  const { payout, ends } = await openPayout(system);
  const book = openRunbook('payouts-failed', env);
  await drill({
    alert: 'DigitalGoldPayoutsLate',
    fault: 'the bank reports no result of a payout for a day',
    runbook: 'payouts-failed',
    cause: () => system.advance(day + 60),
    async clear() {
      const listed = await book.play('goldctl payout list --status PROCESSING');
      expect(listed.stdout).toContain(payout.id);
      await ends('processed', 'PAID');
    },
  });
});

/** Makes an order at the gateway's account that is not of this system, and has it paid. */
const payElsewhere = async (system: RunningSystem): Promise<PlayedPayment> => {
  const { SANDBOX_GATEWAY_KEY_ID: id, SANDBOX_GATEWAY_KEY_SECRET: secret } =
    system.stack.environmentOf('customer');
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const gateway = createCaller(`${system.sandbox.url}/gateway`, { authorization });
  const order = { amount_paise: 70_000, currency: 'INR', receipt: 'of-another-house' };
  const made = await gateway('POST', '/v1/orders', order);
  return system.sandbox.pay(String(made.body['id']));
};

it('DigitalGoldPaymentsUnmatched', async ({ system, env, drill }) => {
  const book = openRunbook('webhook-backlog', env);
  const ask = await system.signInAdmin();
  let paid: PlayedPayment | undefined;
  await drill({
    alert: 'DigitalGoldPaymentsUnmatched',
    fault: 'an order that is not ours is paid at the gateway account',
    runbook: 'webhook-backlog',
    async cause() {
      paid = await payElsewhere(system);
    },
    async clear() {
      const { gateway_payment_id: gatewayId = '', gateway_order_id: orderId = '' } = paid ?? {};
      const listed = await book.play('goldctl webhooks list');
      expect(listed.stdout).toContain(orderId);
      const refund = await system.sandbox.control('POST', `/refunds/${gatewayId}`, {});
      const [row] = await system.query<{ id: string }>(
        'SELECT id FROM gateway_payment WHERE gateway_payment_id = $1',
        gatewayId,
      );
      const recorded = await ask('POST', `/payments/${row?.id}/refunded`, {
        reference: String(refund.body['reference']),
      });
      expect(recorded.status).toBe(204);
    },
  });
});
