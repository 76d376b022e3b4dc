import { describe, expect } from 'vitest';
import { installmentTest } from '#test/support/installment-test.ts';
import { debitsOf, type InstallmentFixtures } from '#test/support/installments.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { endOfIstDay } from '../../platform/clock/ist.ts';

const it = installmentTest();

const hour = 3600;

// The tests begin at 09:00 IST, so that some hours of a test are on one day.
it.beforeEach(async ({ open }) => {
  const now = open.clock.now();
  const next = addMs(endOfIstDay(now), 9 * hour * 1000);
  await open.advance((next.getTime() - now.getTime()) / 1000);
});

const sweep = (open: OpenGold) => runSweeps(open.gold.sweeps, 'buying-debit-installments');
/** Creates an installment whose debit is due now. */
const createDue = async (open: OpenGold, fixtures: InstallmentFixtures) => {
  const mandate = { token: 'token-of-asha', dueInSeconds: 24 * hour };
  const raised = await fixtures.raise(await fixtures.newPlan(), 1, mandate);
  await open.advance(24 * hour);
  return raised;
};

describe('the debit of a customer who may no longer buy', () => {
  it.for(['PENDING', 'SUBMITTED'])(
    'waits while the KYC of its customer is %s',
    async (status, { open, fixtures }) => {
      const { db } = open.database;
      const raised = await createDue(open, fixtures);
      const where = { userId: raised.userId };
      await db.kycRecord.update({ where, data: { status } });
      await sweep(open);
      await fixtures.runJobs();
      expect(await debitsOf(open, raised)).toHaveLength(0);
      expect(await fixtures.statusOf(raised)).toBe('PENDING');
      await db.kycRecord.update({ where, data: { status: 'APPROVED' } });
      await open.advance(61);
      await sweep(open);
      await fixtures.becomes(raised, 'PAID');
      expect(await debitsOf(open, raised)).toHaveLength(1);
    },
  );

  it('waits while its customer is blocked', async ({ open, fixtures }) => {
    const { db } = open.database;
    const raised = await createDue(open, fixtures);
    const block = (blocked: boolean) =>
      db.user.update({
        where: { id: raised.userId },
        data: { blocked, blockedAt: open.clock.now(), blockedReason: 'a test' },
      });
    await block(true);
    await sweep(open);
    expect(await debitsOf(open, raised)).toHaveLength(0);
    await block(false);
    await open.advance(61);
    await sweep(open);
    await fixtures.becomes(raised, 'PAID');
  });

  it('is queried without KYC too, once it was sent', async ({ open, fixtures }) => {
    const raised = await createDue(open, fixtures);
    await open.gatewayFault('debit', 'accept_then_timeout');
    await sweep(open);
    await open.setKyc('PENDING');
    await open.advance(61);
    await sweep(open);
    await fixtures.becomes(raised, 'PAID');
    await open.allocate(raised.orderId);
    await fixtures.becomes(raised, 'ALLOCATED');
  });
});
