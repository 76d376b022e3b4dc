import { describe, expect } from 'vitest';
import { installmentTest } from '#test/support/installment-test.ts';
import type { PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import { eventually } from '#test/support/eventually.ts';
import {
  debitsOf,
  paymentsOf,
  rowOf,
  startDay,
  type InstallmentFixtures,
} from '#test/support/installments.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { createDebitSweep } from './installment.sweeps.ts';

/** The call to the gateway at which the worker dies. Nothing happens after it. */
const death: { at: string | undefined } = { at: undefined };
const wrapWithDeath = (gateway: PaymentGateway) => ({
  ...gateway,
  async debitMandate(debit: Parameters<NonNullable<PaymentGateway['debitMandate']>>[0]) {
    if (death.at === 'before the debit') throw new Error('killed');
    const outcome = await gateway.debitMandate?.(debit);
    if (death.at === 'after the debit' || outcome === undefined) throw new Error('killed');
    return outcome;
  },
});

const it = installmentTest({
  wrap: {
    gateways: (real) =>
      new Map([...real].map(([code, gateway]) => [code, wrapWithDeath(gateway)] as const)),
  },
});

it.beforeEach(({ open }) => startDay(open));

it.afterEach(async ({ open }) => {
  death.at = undefined;
  await open.database.db.gatewaySetting.deleteMany();
});

const hour = 3600;
const sweep = (open: OpenGold, name = 'buying-debit-installments') =>
  runSweeps(open.gold.sweeps, name);
const raise = async (
  fixtures: InstallmentFixtures,
  token = 'token-of-asha',
  dueInSeconds = 24 * hour,
) => fixtures.raise(await fixtures.newPlan(), 1, { token, dueInSeconds });
/** Creates an installment whose debit is due now. */
const createDue = async (open: OpenGold, fixtures: InstallmentFixtures, token?: string) => {
  const raised = await raise(fixtures, token);
  await open.advance(24 * hour);
  return raised;
};

describe('the mandate of an installment', () => {
  it('is debited when it is due, and not before', async ({ open, fixtures }) => {
    const raised = await raise(fixtures);
    await open.advance(24 * hour - 1);
    await sweep(open);
    expect(await debitsOf(open, raised)).toHaveLength(0);
    const before = await fixtures.paymentOf(raised, raised.paymentOrderId);
    expect(before).toMatchObject({ status: 'CREATED', gateway_order_id: null });
    await open.advance(1);
    await sweep(open);
    await fixtures.becomes(raised, 'PAID');
    expect(await debitsOf(open, raised)).toHaveLength(1);
    expect(await rowOf(open, raised)).toMatchObject({ debitStatus: 'ACCEPTED' });
    await open.allocate(raised.orderId);
    await fixtures.becomes(raised, 'ALLOCATED');
  });

  it('has a job at the time of its debit', async ({ open, fixtures }) => {
    const raised = await raise(fixtures);
    const row = await open.database.db.scheduledJob.findFirstOrThrow({
      where: { key: `gold.debit-installment:${raised.paymentOrderId}` },
    });
    const { debitDueAt } = await rowOf(open, raised);
    expect(row.dueAt).toEqual(debitDueAt);
    await open.advance(24 * hour);
    const payload = { paymentOrderId: raised.paymentOrderId };
    await fixtures.runJob('gold.debit-installment', payload);
    await fixtures.becomes(raised, 'PAID');
  });

  it('is debited once by ten concurrent workers', async ({ open, fixtures }) => {
    const raised = await createDue(open, fixtures);
    await Promise.all(Array.from({ length: 10 }, () => sweep(open)));
    await fixtures.becomes(raised, 'PAID');
    expect(await debitsOf(open, raised)).toHaveLength(1);
    expect(await paymentsOf(open, raised)).toBe(1);
  });

  it('shows no checkout, so that its customer cannot pay twice', async ({ open, fixtures }) => {
    const raised = await createDue(open, fixtures, 'token-stuck');
    await sweep(open);
    const payment = await fixtures.paymentOf(raised, raised.paymentOrderId);
    expect(payment.status).toBe('GATEWAY_ORDER_CREATED');
    expect(payment.checkout).toBeUndefined();
  });

  it('fails the installment if the debit fails, and a checkout can pay it', async ({
    open,
    fixtures,
  }) => {
    const raised = await createDue(open, fixtures, 'token-fail');
    await sweep(open);
    await fixtures.becomes(raised, 'FAILED');
    expect(await fixtures.notificationsOf(raised)).toEqual(['sip_installment_failed']);
    const again = await fixtures.payAgain(raised);
    await fixtures.runJobs();
    const { checkout } = await fixtures.paymentOf(raised, again.paymentOrderId);
    await fixtures.pay(checkout.gateway_order_id);
    await fixtures.becomes(raised, 'PAID');
  });

  it('fails the installment at once if the gateway refuses the debit', async ({
    open,
    fixtures,
  }) => {
    const raised = await createDue(open, fixtures);
    await open.gatewayFault('debit', 'error', { status: 400 });
    await sweep(open);
    expect(await fixtures.statusOf(raised)).toBe('FAILED');
    expect(await rowOf(open, raised)).toMatchObject({ status: 'FAILED', debitStatus: 'REFUSED' });
    const where = { orderId: raised.orderId, toStatus: 'FAILED' };
    expect(await open.database.db.goldOrderEvent.findFirst({ where })).toMatchObject({
      detail: { reason: expect.stringContaining('refused: GATEWAY_REFUSED') },
    });
    expect(await fixtures.notificationsOf(raised)).toEqual(['sip_installment_failed']);
  });
});

describe('a debit that is deferred', () => {
  it('waits while the gate is closed, and has its 72 h after that', async ({ open, fixtures }) => {
    const raised = await createDue(open, fixtures);
    open.setGate('buy', false);
    await sweep(open);
    await open.advance(8 * hour);
    await sweep(open);
    await sweep(open, 'buying-fail-unpaid-installments');
    expect(await fixtures.statusOf(raised)).toBe('PENDING');
    expect(await open.gatewayJournal('create-order')).toEqual(
      expect.not.arrayContaining([
        expect.objectContaining({ idempotencyKey: raised.paymentOrderId }),
      ]),
    );
    open.setGate('buy', true);
    await open.advance(61);
    await sweep(open);
    await fixtures.becomes(raised, 'PAID');
    const { expiresAt } = await rowOf(open, raised);
    expect(expiresAt?.getTime()).toBe(open.clock.now().getTime() + 72 * hour * 1000);
  });

  it('waits while its gateway is disabled, since no other gateway has the mandate', async ({
    open,
    fixtures,
  }) => {
    const raised = await createDue(open, fixtures);
    const at = open.clock.now();
    const data = { code: 'sandbox', enabled: false, updatedAt: at };
    await open.database.db.gatewaySetting.create({ data });
    await sweep(open);
    expect(await debitsOf(open, raised)).toHaveLength(0);
    await open.database.db.gatewaySetting.deleteMany();
    await open.advance(61);
    await sweep(open);
    await fixtures.becomes(raised, 'PAID');
  });

  it.for(['malformed', 'accept_then_timeout'])(
    'waits while the gateway answers %s to its order, and in the end has one order',
    async (fault, { open, fixtures }) => {
      const raised = await createDue(open, fixtures);
      await open.gatewayFault('create-order', fault);
      await open.gatewayFault('get-order', 'malformed', { times: 4 });
      await sweep(open);
      expect(await debitsOf(open, raised)).toHaveLength(0);
      await open.sandbox.control('DELETE', '/faults');
      await open.advance(61);
      await sweep(open);
      await fixtures.becomes(raised, 'PAID');
      expect(await debitsOf(open, raised)).toHaveLength(1);
    },
  );
});

describe('a debit whose outcome is unknown', () => {
  it.for(['accept_then_timeout', 'malformed'])(
    'and that the gateway accepted (%s) is found, and not requested again',
    async (fault, { open, fixtures }) => {
      const raised = await createDue(open, fixtures);
      await open.gatewayFault('debit', fault);
      await sweep(open);
      await fixtures.becomes(raised, 'PAID');
      await open.advance(3600);
      await sweep(open);
      expect(await debitsOf(open, raised)).toHaveLength(1);
      expect(await paymentsOf(open, raised)).toBe(1);
    },
  );

  it('and that never arrived is requested again under the same key', async ({ open, fixtures }) => {
    const raised = await createDue(open, fixtures);
    await open.gatewayFault('debit', 'reset');
    await sweep(open);
    expect(await rowOf(open, raised)).toMatchObject({ debitStatus: 'UNKNOWN' });
    await sweep(open);
    expect(await debitsOf(open, raised)).toHaveLength(1);
    await open.advance(61);
    await sweep(open);
    await fixtures.becomes(raised, 'PAID');
    const requests = await debitsOf(open, raised);
    expect(new Set(requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(await paymentsOf(open, raised)).toBe(1);
  });

  it('is not requested again while the gateway does not report its outcome', async ({
    open,
    fixtures,
  }) => {
    const raised = await createDue(open, fixtures);
    await open.gatewayFault('debit', 'reset');
    await sweep(open);
    await open.gatewayFault('list-payments', 'malformed');
    await open.advance(61);
    await sweep(open);
    expect(await debitsOf(open, raised)).toHaveLength(1);
    expect(await fixtures.statusOf(raised)).toBe('PENDING');
    await open.advance(61);
    await sweep(open);
    await fixtures.becomes(raised, 'PAID');
  });

  it('is queried but not requested again while the gate is closed', async ({ open, fixtures }) => {
    const raised = await createDue(open, fixtures);
    await open.gatewayFault('debit', 'reset');
    await sweep(open);
    open.setGate('buy', false);
    await open.advance(61);
    await sweep(open);
    expect(await debitsOf(open, raised)).toHaveLength(1);
    const asked = await open.gatewayJournal('list-payments');
    const { gatewayOrderId } = await rowOf(open, raised);
    expect(asked.some(({ path }) => path.includes(String(gatewayOrderId)))).toBe(true);
  });

  it('and that no event reported is found by a query, paid or failed', async ({
    open,
    fixtures,
  }) => {
    const raised = [
      await raise(fixtures, 'token-stuck-1'),
      await raise(fixtures, 'token-stuck-2'),
    ] as const;
    await open.advance(24 * hour);
    await sweep(open);
    const ids = await Promise.all(
      raised.map(async (one) => (await rowOf(open, one)).gatewayOrderId),
    );
    await fixtures.pay(String(ids[0]), { deliver: 'none' });
    await fixtures.pay(String(ids[1]), { deliver: 'none', outcome: 'failed' });
    await open.advance(901);
    await sweep(open);
    expect(await fixtures.statusOf(raised[0])).toBe('PAID');
    expect(await fixtures.statusOf(raised[1])).toBe('FAILED');
    expect(await fixtures.notificationsOf(raised[1])).toEqual(['sip_installment_failed']);
  });

  it('and stays unknown fails after 72 h, and a later capture still counts', async ({
    open,
    fixtures,
  }) => {
    const raised = await createDue(open, fixtures, 'token-stuck');
    await sweep(open);
    await open.advance(72 * hour);
    await sweep(open);
    await sweep(open, 'buying-fail-unpaid-installments');
    expect(await fixtures.statusOf(raised)).toBe('FAILED');
    expect(await debitsOf(open, raised)).toHaveLength(1);
    await fixtures.pay(String((await rowOf(open, raised)).gatewayOrderId));
    await fixtures.becomes(raised, 'PAID');
  });
});

describe('a payment of a failed installment that no event reported', () => {
  it('is found after the 72 h of a debit', async ({ open, fixtures }) => {
    const raised = await createDue(open, fixtures, 'token-stuck');
    await sweep(open);
    await open.advance(72 * hour);
    await sweep(open);
    await sweep(open, 'buying-fail-unpaid-installments');
    expect(await fixtures.statusOf(raised)).toBe('FAILED');
    await fixtures.pay(String((await rowOf(open, raised)).gatewayOrderId), { deliver: 'none' });
    await open.advance(hour + 1);
    await runSweeps(open.payments.sweeps);
    expect(await fixtures.statusOf(raised)).toBe('PAID');
  });

  it('is found at a checkout in which a payment failed', async ({ open, fixtures }) => {
    const raised = await fixtures.payable();
    await fixtures.pay(raised.gatewayOrderId, { outcome: 'failed' });
    await fixtures.becomes(raised, 'FAILED');
    await fixtures.pay(raised.gatewayOrderId, { deliver: 'none' });
    await open.advance(70 * hour);
    await runSweeps(open.payments.sweeps);
    expect(await fixtures.statusOf(raised)).toBe('PAID');
  });
});

/**
 * Runs a pass with batches of one debit, on a clock that advances. The gate is open for the first
 * `openings` reads.
 */
const runPass = async (open: OpenGold, openings = Infinity): Promise<void> => {
  let reads = 0;
  let asked = 0;
  const deps = {
    ...open.database,
    clock: { now: () => addMs(open.clock.now(), (reads += 1)) },
    logger: open.logger,
    payments: open.paymentsDeps,
    gates: { isBuyOpen: async () => (asked += 1) <= openings },
  };
  const pass = createDebitSweep(deps, 1);
  await pass.run(new AbortController().signal);
};

describe('a pass over more debits than one batch', () => {
  it('queries each once, and ends', async ({ open, fixtures }) => {
    const raised = [await raise(fixtures, 'token-stuck-1'), await raise(fixtures, 'token-stuck-2')];
    await open.advance(24 * hour);
    await sweep(open);
    await open.advance(901);
    const listed = async (): Promise<number> => (await open.gatewayJournal('list-payments')).length;
    const before = await listed();
    await runPass(open);
    expect((await listed()) - before).toBe(raised.length);
  });

  it('requests nothing after the gate is closed', async ({ open, fixtures }) => {
    const raised = [await raise(fixtures), await raise(fixtures)];
    await open.advance(24 * hour);
    // The gate is read before each batch and before each debit.
    await runPass(open, 2);
    const debits = await Promise.all(raised.map((one) => debitsOf(open, one)));
    expect(debits.flat()).toHaveLength(1);
    await sweep(open);
    for (const one of raised) await fixtures.becomes(one, 'PAID');
  });
});

describe('a worker killed', () => {
  it.for(['before the debit', 'after the debit'])(
    '%s is followed by another worker that debits once',
    async (point, { open, fixtures }) => {
      const raised = await createDue(open, fixtures);
      death.at = point;
      await sweep(open);
      expect(await rowOf(open, raised)).toMatchObject({ debitStatus: 'INTENDED' });
      death.at = undefined;
      await open.lapseLeases();
      await open.advance(61);
      await sweep(open);
      await fixtures.becomes(raised, 'PAID');
      expect(await paymentsOf(open, raised)).toBe(1);
      await eventually(async () => (await rowOf(open, raised)).status === 'PAID');
    },
  );
});
