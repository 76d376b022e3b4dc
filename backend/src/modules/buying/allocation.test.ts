import { describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { jobsOf, withJobRunner } from '#test/support/job-queue.ts';
import { openAllocationScenario } from '#test/support/allocation-scenario.ts';

const scenario = openAllocationScenario();
const {
  statusOf,
  allocate,
  historyOf,
  confirmsOf,
  runSweep,
  operationsOf,
  expectOnePurchase,
  death,
  standstill,
} = scenario;

describe('an allocation', () => {
  it('runs from the queue and shows in the portfolio at once', async () => {
    const { call } = scenario.bought;
    const empty = (await call('GET', '/portfolio')).body;
    expect(empty).toMatchObject({ balance: '0.0000', profitLossPct: 0, investedPaise: 0 });
    expect(await jobsOf(scenario.open.database.db, 'gold.allocate')).toHaveLength(1);
    await withJobRunner(scenario.open.databaseUrl, scenario.open.gold.jobs, async () => {
      await eventually(async () => (await statusOf(scenario.bought)) === 'ALLOCATED');
    });
    await expectOnePurchase(scenario.bought);
    expect(await historyOf(scenario.bought)).toEqual(['PENDING', 'PAID', 'ALLOCATED']);
    expect(await confirmsOf(scenario.bought)).toBe(1);
    const full = (await call('GET', '/portfolio')).body;
    expect(full).toMatchObject({
      balance: scenario.bought.grams,
      reserved: '0.0000',
      investedPaise: 100_000,
    });
    expect(full.profitLossPaise).toBe(full.currentValuePaise - 100_000);
    expect((await call('GET', '/portfolio/passbook')).body).toEqual({
      holding: {
        balance: scenario.bought.grams,
        reserved: '0.0000',
        investedPaise: 100_000,
        avgPricePaise: full.avgPricePaise,
      },
      entries_available: false,
      entries: [],
    });
  });

  it('is confirmed once by ten concurrent workers', async () => {
    await Promise.all(Array.from({ length: 10 }, allocate));
    await expectOnePurchase(scenario.bought);
    expect(await confirmsOf(scenario.bought)).toBe(1);
    await allocate();
    await expectOnePurchase(scenario.bought);
  });

  it.each(['error', 'reset', 'timeout'])(
    'whose confirm did not arrive and ended in %s is retried',
    async (fault) => {
      await scenario.open.fault('buy-confirm', fault);
      await allocate();
      expect(await statusOf(scenario.bought)).toBe('RETRY_PENDING');
      // The retry does not begin before it is due.
      await allocate();
      expect(await statusOf(scenario.bought)).toBe('RETRY_PENDING');
      await scenario.open.advance(5);
      await allocate();
      await expectOnePurchase(scenario.bought);
      const history = ['PENDING', 'PAID', 'RETRY_PENDING', 'PAID', 'ALLOCATED'];
      expect(await historyOf(scenario.bought)).toEqual(history);
    },
  );

  it.each(['accept_then_timeout', 'malformed'])(
    'whose confirm succeeded but ended in %s is found by the order status',
    async (fault) => {
      await scenario.open.fault('buy-confirm', fault);
      await allocate();
      await expectOnePurchase(scenario.bought);
      expect(await confirmsOf(scenario.bought)).toBe(1);
    },
  );

  it('is not confirmed again while the outcome of the first confirm is unknown', async () => {
    await scenario.open.fault('buy-confirm', 'accept_then_timeout');
    await scenario.open.fault('buy-status', 'timeout', { times: 1000 });
    await allocate();
    expect(await statusOf(scenario.bought)).toBe('RETRY_PENDING');
    expect((await operationsOf(scenario.bought)).map(({ status }) => status)).toEqual(['UNKNOWN']);
    await scenario.open.advance(5);
    await allocate();
    expect(await statusOf(scenario.bought)).toBe('RETRY_PENDING');
    await scenario.open.sandbox.control('DELETE', '/faults');
    await scenario.open.advance(15);
    await allocate();
    await expectOnePurchase(scenario.bought);
    expect(await confirmsOf(scenario.bought)).toBe(1);
  });
});

describe('a worker killed', () => {
  it.each(['before the confirm', 'after the confirm', 'after the status'])(
    '%s is followed by another worker that buys the gold once',
    async (point) => {
      death.at = point;
      await expect(allocate()).rejects.toThrow('killed');
      death.at = undefined;
      await allocate();
      // The lease of the dead worker is still valid, so no other worker may confirm.
      expect(await statusOf(scenario.bought)).toBe('PAID');
      await scenario.open.lapseLeases();
      await scenario.open.advance(61);
      await runSweep('buying-resume-paid-orders');
      expect((await jobsOf(scenario.open.database.db, 'gold.allocate')).length).toBeGreaterThan(0);
      await allocate();
      await expectOnePurchase(scenario.bought);
      expect(await confirmsOf(scenario.bought)).toBe(1);
    },
  );

  it('a second time, as it resumes the work, changes nothing', async () => {
    death.at = 'after the confirm';
    await expect(allocate()).rejects.toThrow('killed');
    await scenario.open.lapseLeases();
    death.at = 'after the status';
    await expect(allocate()).rejects.toThrow('killed');
    await scenario.open.lapseLeases();
    death.at = undefined;
    await runSweep('buying-poll-undecided-allocations');
    await expectOnePurchase(scenario.bought);
    expect(await historyOf(scenario.bought)).toEqual(['PENDING', 'PAID', 'ALLOCATED']);
  });
});

describe('a worker that stops between the order status and a further confirm', () => {
  it('until the lock has ended confirms nothing, and sends the order to review', async () => {
    await scenario.open.fault('buy-confirm', 'timeout');
    await allocate();
    expect(await statusOf(scenario.bought)).toBe('RETRY_PENDING');
    const confirms = await confirmsOf(scenario.bought);
    await scenario.open.advance(5);
    standstill.during = () => scenario.open.advance(600);
    await allocate();
    expect(standstill.during).toBeUndefined();
    expect(await confirmsOf(scenario.bought)).toBe(confirms);
    expect(await statusOf(scenario.bought)).toBe('MANUAL_REVIEW');
  });
});
