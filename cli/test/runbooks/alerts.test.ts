import { describe, expect, vi } from 'vitest';
import { withConnection } from '../../../backend/dev/stack/database-setup.ts';
import { eventually } from '../../../backend/test/support/eventually.ts';
import type { RunningSystem } from '../../../backend/test/support/open-running-system.ts';
import { runningTest } from '../../../backend/test/support/running-test.ts';
import {
  newSeller,
  payoutBecomes,
  requestSale,
  soldOf,
} from '../../../backend/test/support/test-seller.ts';
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

const asOwner = (system: RunningSystem, statement: string): Promise<void> =>
  withConnection(system.stack.database.migrateUrl, async (client) => {
    await client.query(statement);
  });

/** The provider answers only errors, until the fault is removed. */
const breakProvider = (system: RunningSystem, operation = '*'): Promise<void> =>
  system.sandbox.fault('safegold', operation, 'error', { times: 100_000 });

describe('payouts-failed', () => {
  it('lists payouts that failed or came back, and sends each again', async ({ system, env }) => {
    // The sandbox leaves payouts to this account open.
    const seller = await newSeller(system, { accountEnd: '9999' });
    const { payout } = soldOf(await requestSale(seller, '0.0200'));
    const ends = async (outcome: string, status: string) => {
      // It is PROCESSING here before the provider has received it. The provider may know earlier
      // attempts.
      await eventually(async () => {
        const { body } = await seller.client.call('GET', `/payouts/${payout.id}`);
        const known = (await system.sandbox.control('GET', '/payouts')).body['items'];
        const referenceId = `${payout.id.replaceAll('-', '')}-${String(body['attempt'])}`;
        expect(known).toContainEqual(expect.objectContaining({ referenceId }));
      });
      await system.sandbox.control('POST', `/payouts/${payout.id}`, { outcome });
      await payoutBecomes(seller, payout.id, status);
    };
    const book = openRunbook('payouts-failed', env);
    const replacing = { $ID: payout.id };
    for (const [outcome, status] of [
      ['failed', 'FAILED'],
      ['reversed', 'REVERSED'],
    ] as const) {
      await payoutBecomes(seller, payout.id, 'PROCESSING');
      const waiting = await book.play('goldctl payout list --status PROCESSING');
      expect(waiting.stdout).toContain(payout.id);
      if (outcome === 'reversed') await ends('processed', 'PAID');
      await ends(outcome, status);
      const listed = await book.play(`goldctl payout list --status ${status}`);
      expect(listed.stdout).toContain(payout.id);
      const shown = await book.play('goldctl payout show "$ID"', { replacing });
      expect(shown.stdout).toMatch(new RegExp(`^status +${status}$`, 'mu'));
      const retried = await book.play('goldctl payout retry "$ID" --note "the bank is back"', {
        replacing,
        typed: ['y'],
      });
      expect(retried).toMatchObject({ code: 0 });
    }
    await payoutBecomes(seller, payout.id, 'PROCESSING');
    await ends('processed', 'PAID');
    expect(book.unplayed()).toEqual([]);
  });
});

describe('allocation-late', () => {
  it('shows the orders that wait, and what was tried, until they have gold', async ({
    system,
    env,
  }) => {
    await breakProvider(system, 'buy-confirm');
    const client = await system.newCustomer();
    const buy = await client.buy('500');
    await system.sandbox.pay(buy.gatewayOrderId);
    await system.untilTransition(buy.orderId, 'PAID>RETRY_PENDING');
    const book = openRunbook('allocation-late', env);
    const waiting = 'goldctl order list --status RETRY_PENDING';
    expect((await book.play(waiting)).stdout).toContain(buy.orderId);
    expect(await book.play('goldctl order list --status PAID')).toMatchObject({ code: 0 });
    const tried = await book.play('goldctl order timeline "$ID"', {
      replacing: { $ID: buy.orderId },
    });
    expect(tried.stdout).toContain('buy-confirm');
    const check = 'goldctl check --category operations --category collaborators';
    expect((await book.play(check)).stdout).toMatch(/√ due jobs are done/u);
    await system.sandbox.clearFaults();
    await system.advance(6);
    await client.becomes(buy.orderId, 'ALLOCATED');
    expect((await book.play(waiting)).stdout).not.toContain(buy.orderId);
    expect(book.unplayed()).toEqual([]);
  });
});

describe('collaborator-down', () => {
  it('names the collaborator, and sees it answer again', async ({ system, env }) => {
    const book = openRunbook('collaborator-down', env);
    const check = 'goldctl check --category collaborators';
    await breakProvider(system);
    const down = await book.play(check);
    expect(down).toMatchObject({ code: 3 });
    expect(down.stdout).toContain('× the gold provider answers');
    await system.sandbox.clearFaults();
    await eventually(async () => {
      expect((await book.play(check)).stdout).toContain('√ the gold provider answers');
    });
    expect((await book.play('goldctl jobs list')).stdout).toBe('There are no such jobs.\n');
    expect(book.unplayed()).toEqual([]);
  });
});

describe('undecided-calls', () => {
  it('names the collaborator that is silent, until it answers again', async ({ system, env }) => {
    const book = openRunbook('undecided-calls', env);
    const check = 'goldctl check --category operations --category collaborators';
    await breakProvider(system);
    const silent = await book.play(check);
    expect(silent).toMatchObject({ code: 3 });
    expect(silent.stdout).toContain('× the gold provider answers');
    await system.sandbox.clearFaults();
    await eventually(async () => {
      expect((await book.play(check)).stdout).toContain('√ the gold provider answers');
    });
    expect(book.unplayed()).toEqual([]);
  });
});

describe('error-budget', () => {
  it('tells a gate that is closed from a collaborator that fails', async ({ system, env }) => {
    const book = openRunbook('error-budget', env);
    const { call } = await system.newCustomer();
    system.stack.setSwitch('DIGITAL_SELL_ENABLED', 'false');
    expect(await call('POST', '/gold/sell', {})).toMatchObject({ code: 'SELL_DISABLED' });
    expect((await book.play('goldctl gates show')).stdout).toMatch(/^sell +CLOSED /mu);
    system.stack.setSwitch('DIGITAL_SELL_ENABLED', 'true');
    expect((await book.play('goldctl gates show')).stdout).toMatch(/^sell +OPEN /mu);
    await breakProvider(system);
    const quote = { unit: 'INR', amount: '500' };
    await eventually(async () => {
      expect((await call('POST', '/gold/quote', quote)).status).toBe(502);
    });
    expect((await book.play('goldctl check')).stdout).toContain('× the gold provider answers');
    await system.sandbox.clearFaults();
    await eventually(async () => {
      expect((await book.play('goldctl check')).stdout).toContain('√ the gold provider answers');
    });
    expect(book.unplayed()).toEqual([]);
  });
});

describe('database-busy', () => {
  it('shows a database that answers while requests wait for a lock', async ({ system, env }) => {
    const book = openRunbook('database-busy', env);
    const { call } = await system.newCustomer();
    await withConnection(system.stack.database.migrateUrl, async (client) => {
      await client.query('BEGIN');
      await client.query('LOCK TABLE gold_order IN ACCESS EXCLUSIVE MODE');
      expect(await call('GET', '/gold/orders')).toMatchObject({ status: 503, code: 'BUSY' });
      const check = await book.play('goldctl check --category stores');
      expect(check.stdout).toContain('√ the database accepts writes');
      const status = await book.play('goldctl database status');
      expect(status.stdout).toMatch(/^connections +\d+/mu);
      await client.query('ROLLBACK');
    });
    expect(await call('GET', '/gold/orders')).toMatchObject({ status: 200 });
    const rules = await book.play('goldctl database rules');
    expect(rules.stdout).toMatch(/^All \d+ rules hold\.$/mu);
    expect(book.unplayed()).toEqual([]);
  });
});

describe('evidence-ending', () => {
  it('names the item that ends, and takes what was renewed', async ({ system, env }) => {
    const item = 'merchant_tax_registration';
    await asOwner(
      system,
      `UPDATE readiness_evidence SET expires_on = current_date + 10 WHERE item = '${item}'`,
    );
    const book = openRunbook('evidence-ending', env);
    const ending = await book.play('goldctl readiness');
    expect(ending.stdout).toMatch(new RegExp(`^${item} +PASS .*It expires after `, 'mu'));
    const nextYear = new Date(Date.now() + 365 * 86_400_000).toISOString().slice(0, 10);
    const line =
      'goldctl evidence record merchant_tax_registration --value 29ABCDE1234F1Z5 ' +
      '--reference "GST certificate of 2026-04-01" --expires-on 2027-03-31';
    const recorded = await book.play(line, {
      replacing: { '2027-03-31': nextYear },
      typed: ['y'],
    });
    expect(recorded).toMatchObject({ code: 0 });
    expect(recorded.stdout).toMatch(new RegExp(`^holds until +${nextYear}$`, 'mu'));
    const renewed = await book.play('goldctl readiness');
    expect(renewed).toMatchObject({ code: 0 });
    expect(renewed.stdout).not.toContain('It expires after');
    expect((await book.play('goldctl gates show')).stdout).toMatch(/^payment +OPEN /mu);
    expect(book.unplayed()).toEqual([]);
  });
});

describe('figures-stale', () => {
  it('names the worker that is not there, and sees the next one', async ({ system, env }) => {
    const worker = system.processes.find(({ app }) => app === 'worker');
    await worker?.kill();
    const book = openRunbook('figures-stale', env);
    const check = 'goldctl check --category processes';
    const gone = await book.play(check);
    expect(gone).toMatchObject({ code: 3 });
    expect(gone.stdout).toContain('× the worker process is ready');
    await system.startWorker();
    await eventually(async () => {
      expect((await book.play(check)).stdout).toContain('√ the worker process is ready');
    });
    expect(book.unplayed()).toEqual([]);
  });
});
