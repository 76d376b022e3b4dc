import { expect } from 'vitest';
import { withConnection } from '../../../backend/dev/stack/database-setup.ts';
import { eventually } from '../../../backend/test/support/eventually.ts';
import type { TestCustomer } from '../../../backend/test/support/test-customer.ts';
import { openRunbook } from '../support/runbook.ts';
import { drillTest } from './drill.ts';
import { breakProvider, refuseRows } from './faults.ts';

const it = drillTest();

const until = (holds: () => Promise<void>): Promise<void> =>
  eventually(holds, { timeoutMs: 60_000, everyMs: 200 });

it('DigitalGoldCollaboratorDown', async ({ system, env, drill }) => {
  const book = openRunbook('collaborator-down', env);
  const check = 'goldctl check --category collaborators';
  await drill({
    alert: 'DigitalGoldCollaboratorDown',
    fault: 'the gold provider returns errors',
    runbook: 'collaborator-down',
    cause: () => breakProvider(system),
    async clear() {
      expect((await book.play(check)).stdout).toContain('× the gold provider answers');
      await system.sandbox.clearFaults();
      await until(async () => {
        expect((await book.play(check)).stdout).toContain('√ the gold provider answers');
      });
    },
  });
});

/**
 * Requests a quote until its status is this. It does so slowly: a customer may send sixty requests
 * in ten minutes.
 */
const quote = async ({ call }: TestCustomer, status: number): Promise<void> => {
  const ask = async (): Promise<void> => {
    const answer = await call('POST', '/gold/quote', { unit: 'INR', amount: '500' });
    expect(answer.status).toBe(status);
  };
  await eventually(ask, { timeoutMs: 60_000, everyMs: 1500 });
};

it('DigitalGoldCustomerApiBudget', async ({ system, env, drill }) => {
  const book = openRunbook('error-budget', env);
  const [one, another] = [await system.newCustomer(), await system.newCustomer()];
  await drill({
    alert: 'DigitalGoldCustomerApiBudget',
    fault: 'the gold provider returns errors, and customers request quotes',
    runbook: 'error-budget',
    async cause() {
      await breakProvider(system);
      for (let asked = 0; asked < 5; asked += 1) await quote(one, 502);
    },
    async clear() {
      expect((await book.play('goldctl check')).stdout).toContain('× the gold provider answers');
      await system.sandbox.clearFaults();
      await quote(another, 201);
    },
  });
});

it('DigitalGoldPriceBudget', async ({ system, env, drill }) => {
  const book = openRunbook('price-feed-silent', env);
  await drill({
    alert: 'DigitalGoldPriceBudget',
    fault: 'the gold provider returns no price',
    runbook: 'price-feed-silent',
    cause: () => breakProvider(system),
    async clear() {
      expect((await book.play('goldctl price ticks')).stdout).toMatch(/ s$/mu);
      await system.sandbox.clearFaults();
      await until(async () => {
        expect((await book.play('goldctl readiness')).stdout).toMatch(/^price_feed +PASS /mu);
      });
    },
  });
});

it('DigitalGoldPriceSilent', async ({ system, env, drill }) => {
  const book = openRunbook('price-feed-silent', env);
  const takeRows = await refuseRows(system, 'price_snapshot');
  await drill({
    alert: 'DigitalGoldPriceSilent',
    fault: 'the database rejects new ticks',
    runbook: 'price-feed-silent',
    cause: async () => {},
    async clear() {
      const ticks = await book.play('goldctl price ticks');
      expect(ticks.stdout).toMatch(/^\d+ /mu);
      const check = 'goldctl check --category collaborators';
      expect((await book.play(check)).stdout).toContain('× the price feed ticks');
      await takeRows();
      await until(async () => {
        expect((await book.play('goldctl readiness')).stdout).toMatch(/^price_feed +PASS /mu);
      });
    },
  });
});

it('DigitalGoldFiguresStale', async ({ system, env, drill }) => {
  const book = openRunbook('figures-stale', env);
  const check = 'goldctl check --category processes';
  await drill({
    alert: 'DigitalGoldFiguresStale',
    fault: 'no worker runs',
    runbook: 'figures-stale',
    cause: async () => system.processes.findLast(({ app }) => app === 'worker')?.kill(),
    async clear() {
      expect((await book.play(check)).stdout).toContain('× the worker process is ready');
      await system.startWorker();
      await until(async () => {
        expect((await book.play(check)).stdout).toContain('√ the worker process is ready');
      });
    },
  });
});

it('DigitalGoldCacheDown', async ({ companion, env, drill }) => {
  const book = openRunbook('redis-down', env);
  const check = 'goldctl check --category stores';
  await drill({
    alert: 'DigitalGoldCacheDown',
    fault: 'Redis is stopped',
    runbook: 'redis-down',
    cause: () => companion.redis.stop(),
    async clear() {
      expect((await book.play(check)).stdout).toContain('‼ the cache answers');
      await companion.redis.start();
      await until(async () => {
        expect((await book.play(check)).stdout).toContain('√ the cache answers');
      });
    },
  });
});

it('DigitalGoldGateClosed', async ({ env, drill }) => {
  const book = openRunbook('close-a-gate', env);
  await drill({
    alert: 'DigitalGoldGateClosed',
    fault: 'buying is closed',
    runbook: 'close-a-gate',
    cause: () => book.play('goldctl gates close payment --reason "wrong price"'),
    async clear() {
      const replacing = { '...': 'the price is right again' };
      const open = 'goldctl gates open payment --reason "..."';
      expect((await book.play(open, { replacing, typed: ['y'] })).code).toBe(0);
    },
  });
});

it('DigitalGoldEvidenceEnding', async ({ system, env, drill }) => {
  const book = openRunbook('evidence-ending', env);
  const item = 'merchant_tax_registration';
  await drill({
    alert: 'DigitalGoldEvidenceEnding',
    fault: 'evidence ends in ten days',
    runbook: 'evidence-ending',
    cause: () =>
      system.query(
        `UPDATE readiness_evidence SET expires_on = current_date + 10 WHERE item = '${item}'`,
      ),
    async clear() {
      expect((await book.play('goldctl readiness')).stdout).toContain('It expires after');
      const nextYear = new Date(Date.now() + 365 * 86_400_000).toISOString().slice(0, 10);
      const line =
        'goldctl evidence record merchant_tax_registration --value 29ABCDE1234F1Z5 ' +
        '--reference "GST certificate of 2026-04-01" --expires-on 2027-03-31';
      const replacing = { '2027-03-31': nextYear };
      expect((await book.play(line, { replacing, typed: ['y'] })).code).toBe(0);
    },
  });
});

it('DigitalGoldDatabasePoolWaiting', async ({ system, env, drill }) => {
  const book = openRunbook('database-busy', env);
  const { call } = await system.newCustomer();
  await withConnection(system.stack.database.migrateUrl, async (owner) => {
    const released = new AbortController();
    const ask = async (): Promise<void> => {
      while (!released.signal.aborted) await call('GET', '/gold/orders');
    };
    let asking: Promise<unknown> = Promise.resolve();
    await drill({
      alert: 'DigitalGoldDatabasePoolWaiting',
      fault: 'a migration locks the orders, and customers request theirs',
      runbook: 'database-busy',
      async cause() {
        await owner.query('BEGIN');
        await owner.query('LOCK TABLE gold_order IN ACCESS EXCLUSIVE MODE');
        asking = Promise.all(Array.from({ length: 40 }, ask));
      },
      async clear() {
        const status = await book.play('goldctl database status');
        expect(status.stdout).toMatch(/^connections +\d+/mu);
        await owner.query('ROLLBACK');
        released.abort();
        await asking;
      },
    });
  });
});

it('DigitalGoldCodesAtTotalLimit', async ({ system, env, drill }) => {
  const book = openRunbook('sign-in-abuse', env);
  await drill({
    alert: 'DigitalGoldCodesAtTotalLimit',
    fault: 'strangers request more codes than are sent in a minute',
    runbook: 'sign-in-abuse',
    async cause() {
      for (let asked = 0; asked < 20; asked += 1) {
        const phone = `+9198123456${String(asked).padStart(2, '0')}`;
        await system.as(undefined)('POST', '/auth/send-otp', { phone });
      }
    },
    async clear() {
      const listed = await book.play('goldctl codes addresses');
      expect(listed.stdout).toMatch(/^10\.\d+\.\d+\.\d+ +1$/mu);
    },
  });
});
