import { describe, expect, vi } from 'vitest';
import { withConnection } from '../../../backend/dev/stack/database-setup.ts';
import { eventually } from '../../../backend/test/support/eventually.ts';
import type { RunningSystem } from '../../../backend/test/support/open-running-system.ts';
import {
  breakOrdersFor,
  installOrderBreaker,
} from '../../../backend/test/support/order-breaker.ts';
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
    await installOrderBreaker(system.stack.database.migrateUrl);
    return home.env;
  },
);

const asOwner = <T extends object>(system: RunningSystem, statement: string): Promise<T[]> =>
  withConnection(system.stack.database.migrateUrl, async (client) => {
    const { rows } = await client.query<T>(statement);
    return rows;
  });

/** A buy whose customer paid an amount other than the requested amount. */
const underReview = async (system: RunningSystem) => {
  const client = await system.newCustomer();
  const buy = await client.buy('500');
  const paid = await system.sandbox.pay(buy.gatewayOrderId, { amountPaise: 49_900 });
  await client.becomes(buy.orderId, 'MANUAL_REVIEW', { code: 'AMOUNT_MISMATCH' });
  return { client, buy, paymentId: paid.gateway_payment_id };
};

/** A buy whose gold its customer has. */
const allocated = async (system: RunningSystem) => {
  const client = await system.newCustomer();
  const buy = await client.buy('500');
  const paid = await system.sandbox.pay(buy.gatewayOrderId);
  await client.becomes(buy.orderId, 'ALLOCATED');
  return { client, buy, paymentId: paid.gateway_payment_id };
};

describe('close-a-gate', () => {
  it('stops buying and selling, and goes on again', async ({ system, env }) => {
    const book = openRunbook('close-a-gate', env);
    const says = { '...': 'the disclosure of the provider' };
    const { call } = await system.newCustomer();
    for (const [gate, path, code] of [
      ['payment', '/gold/buy', 'PAYMENTS_DISABLED'],
      ['sell', '/gold/sell', 'SELL_DISABLED'],
    ] as const) {
      const closed = await book.play(`goldctl gates close ${gate} --reason "wrong price"`);
      expect(closed).toMatchObject({ code: 0 });
      expect(await call('POST', path, {})).toMatchObject({ status: 503, code });
      const open = 'goldctl gates open payment --reason "..."';
      const replacing = { payment: gate, '...': 'the price is right again' };
      expect((await book.play(open, { replacing, typed: ['y'] })).code).toBe(0);
      expect(await call('POST', path, {})).toMatchObject({ status: 400 });
    }
    const withdraw = 'goldctl evidence withdraw provider_disclosure';
    expect(await book.play(withdraw, { typed: ['y'] })).toMatchObject({ code: 0 });
    expect(await call('POST', '/gold/buy', {})).toMatchObject({ code: 'PAYMENTS_DISABLED' });
    const withdrawn = await book.play('goldctl readiness');
    expect(withdrawn).toMatchObject({ code: 3 });
    expect(withdrawn.stdout).toMatch(/^provider_disclosure +FAIL /mu);
    const record = 'goldctl evidence record provider_disclosure --value "..." --reference "..."';
    expect((await book.play(record, { replacing: says, typed: ['y'] })).code).toBe(0);
    expect(await call('POST', '/gold/buy', {})).toMatchObject({ status: 400 });
    expect(book.unplayed()).toEqual([]);
  });
});

describe('manual-review', () => {
  it('ends with the money back at its payer', async ({ system, env }) => {
    const { client, buy, paymentId } = await underReview(system);
    const book = openRunbook('manual-review', env);
    const replacing = { $ID: buy.orderId };
    expect((await book.play('goldctl review list')).stdout).toContain(buy.orderId);
    const shown = await book.play('goldctl order show "$ID"', { replacing });
    expect(shown.stdout).toContain('AMOUNT_MISMATCH');
    const timeline = await book.play('goldctl order timeline "$ID"', { replacing });
    expect(timeline.stdout).toContain('CAPTURED, MISMATCH');
    const refund = await system.sandbox.control('POST', `/refunds/${paymentId}`, {});
    const resolved = await book.play(
      'goldctl order resolve "$ID" REFUNDED --reference rfnd_1 --note "customer asked for it"',
      { replacing: { ...replacing, rfnd_1: String(refund.body['reference']) }, typed: ['y'] },
    );
    expect(resolved).toMatchObject({ code: 0 });
    await client.becomes(buy.orderId, 'FAILED');
    expect((await book.play('goldctl review list')).stdout).not.toContain(buy.orderId);
    expect(book.unplayed()).toEqual([]);
  });
});

describe('chargeback', () => {
  it('takes the gold back whose money went away', async ({ system, env }) => {
    const { client, buy, paymentId } = await allocated(system);
    const dispute = await system.sandbox.control('POST', `/disputes/${paymentId}`, {});
    await client.becomes(buy.orderId, 'MANUAL_REVIEW', { code: 'PAYMENT_REVERSED' });
    const book = openRunbook('chargeback', env);
    const replacing = { $ID: buy.orderId };
    const shown = await book.play('goldctl order show "$ID"', { replacing });
    expect(shown.stdout).toContain('lost in a dispute');
    expect((await book.play('goldctl review list')).stdout).toContain('PAYMENT_REVERSED');
    const others = await book.play('goldctl order list --customer "$CUSTOMER"', {
      replacing: { $CUSTOMER: client.userId },
    });
    expect(others.stdout).toMatch(new RegExp(`^${buy.orderId} +BUY +MANUAL_REVIEW `, 'mu'));
    const line =
      'goldctl order resolve "$ID" RECOVER --reference dspt_1 ' +
      '--note "chargeback, customer does not answer"';
    const dspt = String(dispute.body['reference']);
    const resolved = await book.play(line, {
      replacing: { ...replacing, dspt_1: dspt },
      typed: ['y'],
    });
    expect(resolved).toMatchObject({ code: 0 });
    await client.becomes(buy.orderId, 'FAILED');
    expect(await book.play('goldctl reconcile')).toMatchObject({ code: 0 });
    expect(book.unplayed()).toEqual([]);
  });
});

describe('reconciliation', () => {
  it('names the order that waits for a decision, until it is made', async ({ system, env }) => {
    const { client, buy, paymentId } = await underReview(system);
    const book = openRunbook('reconciliation', env);
    const report = 'goldctl reconcile --window-hours 72 --samples';
    const found = await book.play(report);
    expect(found).toMatchObject({ code: 3 });
    expect(found.stdout).toContain(buy.orderId);
    const csv = await book.play('goldctl reconcile --check manual_review_open --csv');
    expect(csv.stdout).toContain(buy.orderId);
    const refund = await system.sandbox.control('POST', `/refunds/${paymentId}`, {});
    const replacing = { $ID: buy.orderId, rfnd_1: String(refund.body['reference']) };
    await openRunbook('manual-review', env).play(
      'goldctl order resolve "$ID" REFUNDED --reference rfnd_1 --note "customer asked for it"',
      { replacing, typed: ['y'] },
    );
    await client.becomes(buy.orderId, 'FAILED');
    expect(await book.play(report)).toMatchObject({ code: 0 });
    const fresh = await book.play('goldctl reconcile --fresh --window-hours 72');
    expect(fresh).toMatchObject({ code: 0 });
    expect(fresh.stdout).toContain('All 13 checks agree.');
    expect(book.unplayed()).toEqual([]);
  });
});

/** A job of an order whose work is done, that failed as often as it may. */
const deadJob = async (system: RunningSystem, orderId: string): Promise<string> => {
  const [job] = await asOwner<{ id: string }>(
    system,
    `WITH made AS (
       SELECT id FROM graphile_worker.add_job('gold.allocate',
         json_build_object('orderId', '${orderId}'), run_at => now() + interval '1 hour'))
     SELECT id::text FROM made`,
  );
  await asOwner(
    system,
    `UPDATE graphile_worker._private_jobs
     SET attempts = max_attempts, run_at = now(), last_error = 'the provider did not answer'
     WHERE id = ${job?.id}`,
  );
  return job?.id ?? '';
};

describe('dead-letter-jobs', () => {
  it('runs one again, and takes another off the queue', async ({ system, env }) => {
    const { buy } = await allocated(system);
    const [again, never] = [await deadJob(system, buy.orderId), await deadJob(system, buy.orderId)];
    const book = openRunbook('dead-letter-jobs', env);
    const listed = await book.play('goldctl jobs list');
    expect(listed.stdout).toContain('the provider did not answer');
    expect((await book.play('goldctl jobs retry ID', { replacing: { ID: again } })).code).toBe(0);
    const discarded = await book.play('goldctl jobs discard ID --reason "..."', {
      replacing: { ID: never, '...': 'its order has its gold' },
      typed: ['y'],
    });
    expect(discarded).toMatchObject({ code: 0 });
    await eventually(async () => {
      const left = await asOwner(
        system,
        `SELECT id FROM graphile_worker.jobs WHERE id IN (${again}, ${never})`,
      );
      expect(left).toEqual([]);
    });
    expect((await book.play('goldctl jobs list')).stdout).toBe('There are no such jobs.\n');
    expect(book.unplayed()).toEqual([]);
  });
});

describe('webhook-backlog', () => {
  it('applies an event that waits', async ({ system, env }) => {
    const { migrateUrl } = system.stack.database;
    const client = await system.newCustomer();
    const buy = await client.buy('500');
    await breakOrdersFor(migrateUrl, 500);
    await system.sandbox.pay(buy.gatewayOrderId);
    const waiting = `subject = '${buy.gatewayOrderId}' AND status = 'PENDING'`;
    await eventually(async () => {
      expect(
        await asOwner(system, `SELECT id FROM webhook_event WHERE ${waiting}`),
      ).not.toHaveLength(0);
    });
    const book = openRunbook('webhook-backlog', env);
    const listed = await book.play('goldctl webhooks list', { replacing: {} });
    expect(listed.stdout).toContain(buy.gatewayOrderId);
    const [event] = await asOwner<{ id: string }>(
      system,
      `SELECT id FROM webhook_event WHERE ${waiting} ORDER BY received_at LIMIT 1`,
    );
    await breakOrdersFor(migrateUrl, 0);
    const replayed = await book.play('goldctl webhooks replay ID', {
      replacing: { ID: event?.id ?? '' },
      typed: ['y'],
    });
    // The service may be quicker: then there is nothing left to apply.
    if (replayed.code !== 0) expect(replayed.stderr).toContain('(ILLEGAL_TRANSITION)');
    await client.becomes(buy.orderId, 'ALLOCATED');
    expect(book.unplayed()).toEqual([]);
  });
});

describe('unread-rows', () => {
  it('waits with an order whose payment can’t be read, and goes on when it can', async ({
    system,
    env,
  }) => {
    const client = await system.newCustomer();
    const buy = await client.buy('500');
    await system.sandbox.fault('sandbox-gateway', 'list-payments', 'odd_row', { times: 1000 });
    const paid = await system.sandbox.pay(buy.gatewayOrderId, { deliver: 'none' });
    const ask = () => client.verify(buy.paymentOrderId, paid);
    await ask();
    const book = openRunbook('unread-rows', env);
    const show = 'goldctl order show ORDER';
    const waiting = await book.play(show, { replacing: { ORDER: buy.orderId } });
    expect(waiting).toMatchObject({ code: 0 });
    expect(waiting.stdout).toMatch(/^status +PENDING/mu);
    await system.sandbox.clearFaults();
    await ask();
    await client.becomes(buy.orderId, 'ALLOCATED');
    expect(await book.play('goldctl reconcile')).toMatchObject({ code: 0 });
    expect(book.unplayed()).toEqual([]);
  });
});
