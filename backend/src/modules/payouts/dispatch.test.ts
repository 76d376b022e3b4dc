import { describe, expect } from 'vitest';
import { attemptsOf, payoutRow } from '#test/support/payout-calls.ts';
import type { PayoutProvider } from '../../adapters/payout-provider/port.ts';
import { unknown } from '../../platform/outcome/outcome.ts';
import { payoutTest } from '#test/support/payout-test.ts';
import { eventually } from '#test/support/eventually.ts';
import type { OpenPayouts } from '#test/support/open-payouts.ts';

const it = payoutTest();

const cutOff = async (): Promise<never> => {
  throw new Error('the transaction was cut off');
};

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const countNotifications = (open: OpenPayouts, userId: string, type: string) =>
  open.system.db.notification.count({ where: { userId, type } });

/** Lists the payouts that the provider has recorded under an attempt's key. */
const listAtProvider = async (open: OpenPayouts, key: string) => {
  const { body } = await open.system.sandbox.control('GET', '/payouts');
  const items = body['items'] as { id: string; idempotencyKey: string; status: string }[];
  return items.filter(({ idempotencyKey }) => idempotencyKey === key);
};
const listRequests = async (open: OpenPayouts, key: string) =>
  (await open.journal('create-payout')).filter(({ idempotencyKey }) => idempotencyKey === key);
const dispatch = (
  open: OpenPayouts,
  payoutId: string,
  replica = open as Pick<OpenPayouts, 'payouts'>,
) =>
  // The handler reads only its payload.
  replica.payouts.jobs['payouts.dispatch']?.({ payoutId }, {} as never);

/** Wraps a provider so that the worker dies at one of its calls. */
const dyingAt =
  (method: 'createPayout' | 'ensureFundAccount', when: 'before' | 'after') =>
  (real: PayoutProvider): PayoutProvider => ({
    ...real,
    [method]: async (request: never) => {
      if (when === 'after') await real[method](request);
      throw new Error('killed');
    },
  });

/** Wraps a provider so that it refuses every payout. */
const refusing =
  (reason: string) =>
  (real: PayoutProvider): PayoutProvider => ({
    ...real,
    createPayout: async () => ({ kind: 'refused', code: 'PAYOUT_REFUSED', message: reason }),
  });

describe('the dispatch of a payout', () => {
  it('is automatic up to INR 100,000, and a paid payout completes the sale', async ({ open }) => {
    const { payoutId, orderId, userId, call, key } = await open.payout(10_000_000n, '123456781234');
    expect(await open.drain()).toEqual([]);
    await eventually(async () => (await payoutRow(open, payoutId)).status === 'PAID');

    const paid = await payoutRow(open, payoutId);
    expect(paid).toMatchObject({ attempt: 1, approvalRequired: false, approvedBy: null });
    expect(paid.utr).toMatch(/^\d{12}$/u);
    expect(await open.sales.state(orderId)).toEqual({
      status: 'COMPLETED',
      transitions: ['CONFIRMED>COMPLETED'],
    });
    expect(await countNotifications(open, userId, 'payout_paid')).toBe(1);
    const [attempt, ...more] = await attemptsOf(open, payoutId);
    expect(more).toEqual([]);
    expect(attempt).toMatchObject({ status: 'PAID', idempotencyKey: key, utr: paid.utr });
    expect((await listAtProvider(open, key)).map(({ id }) => id)).toEqual([paid.providerPayoutId]);
    const view = await call('GET', `/payouts/${payoutId}`);
    expect(view.body).toEqual({
      id: payoutId,
      orderId,
      bankAccountId: paid.bankAccountId,
      accountLast4: '1234',
      amountPaise: 10_000_000,
      status: 'PAID',
      mode: 'IMPS',
      utr: paid.utr,
      attempt: 1,
      failureReason: null,
      createdAt: paid.createdAt.toISOString(),
      paidAt: paid.paidAt?.toISOString(),
    });
  });

  it('waits for approval one paisa above', async ({ open }) => {
    const { payoutId, key } = await open.payout(10_000_001n);
    await open.drain();
    open.system.clock.advance(2 * minuteMs);
    await open.runSweeps();
    await open.drain();
    await dispatch(open, payoutId);
    expect(await payoutRow(open, payoutId)).toMatchObject({
      status: 'PENDING',
      attempt: 0,
      approvalRequired: true,
    });
    expect(await listAtProvider(open, key)).toEqual([]);
  });

  it('fails when the bank refuses the payout, and notifies the customer', async ({ open }) => {
    const { payoutId, orderId, userId } = await open.payout(5000n, '123456787777');
    await open.drain();
    await eventually(async () => (await payoutRow(open, payoutId)).status === 'FAILED');
    expect((await payoutRow(open, payoutId)).failureReason).not.toBeNull();
    expect(await countNotifications(open, userId, 'payout_failed')).toBe(1);
    expect((await open.sales.state(orderId)).status).toBe('CONFIRMED');
  });

  it('is refused to an account that is not verified', async ({ open }) => {
    const { payoutId, bankAccountId, userId, key } = await open.payout();
    await open.system.db.bankAccount.update({
      where: { id: bankAccountId },
      data: { status: 'FAILED' },
    });
    expect(await open.drain()).toEqual([]);
    expect(await payoutRow(open, payoutId)).toMatchObject({
      status: 'FAILED',
      failureReason: 'The bank account is not verified.',
    });
    expect((await attemptsOf(open, payoutId)).map(({ status }) => status)).toEqual(['REFUSED']);
    expect(await countNotifications(open, userId, 'payout_failed')).toBe(1);
    expect(await listRequests(open, key)).toEqual([]);
  });

  it('is sent once by two replicas at the same time', async ({ open }) => {
    const { payoutId, key } = await open.payout();
    const other = open.replica();
    await Promise.all([
      dispatch(open, payoutId),
      dispatch(open, payoutId, other),
      dispatch(open, payoutId),
    ]);
    expect(await listRequests(open, key)).toHaveLength(1);
    expect((await payoutRow(open, payoutId)).status).toBe('PROCESSING');
  });
});

describe('a payout whose answer is lost', () => {
  it.for([
    ['accept_then_timeout', {}],
    ['timeout', {}],
    ['reset', {}],
    ['error', { status: 500 }],
    ['error', { status: 502 }],
    ['malformed', {}],
    ['wrong_amount', {}],
  ] as const)('is paid once after any fault: %s %o', async ([fault, more], { open }) => {
    const { payoutId, key } = await open.payout();
    await open.fault('create-payout', fault, more);
    await open.drain();
    expect((await payoutRow(open, payoutId)).status).toBe('PROCESSING');
    for (let round = 0; round < 3; round += 1) {
      open.system.clock.advance(2 * minuteMs);
      await open.runSweeps();
      await open.drain();
    }
    expect(await listAtProvider(open, key)).toHaveLength(1);
    expect((await attemptsOf(open, payoutId)).map(({ status }) => status)).toEqual(['PROCESSING']);
    const sent = await listRequests(open, key);
    expect(new Set(sent.map(({ body }) => JSON.stringify(body))).size).toBe(1);

    await open.system.sandbox.control('POST', `/payouts/${payoutId}`, {
      outcome: 'processed',
      deliver: 'none',
    });
    open.system.clock.advance(2 * minuteMs);
    await open.runSweeps('payouts-poll-attempts');
    expect((await payoutRow(open, payoutId)).status).toBe('PAID');
  });

  it('is not sent again while the provider cannot be queried', async ({ open }) => {
    const { payoutId, key } = await open.payout();
    await open.fault('create-payout', 'accept_then_timeout');
    await open.fault('list-payouts', 'error', { times: 100 });
    await open.drain();
    open.system.clock.advance(2 * minuteMs);
    await open.runSweeps('payouts-poll-attempts');
    expect(await listRequests(open, key)).toHaveLength(1);
    expect((await attemptsOf(open, payoutId)).map(({ status }) => status)).toEqual(['UNKNOWN']);
    await open.system.sandbox.control('DELETE', '/faults');
    open.system.clock.advance(2 * minuteMs);
    await open.runSweeps('payouts-poll-attempts');
    expect((await attemptsOf(open, payoutId)).map(({ status }) => status)).toEqual(['PROCESSING']);
    expect(await listRequests(open, key)).toHaveLength(1);
  });

  it('is retried by the queue when nothing was sent', async ({ open }) => {
    const { payoutId, key } = await open.payout();
    await open.fault('create-contact', 'error', { times: 20 });
    expect(await open.drain()).toHaveLength(1);
    expect(await attemptsOf(open, payoutId)).toMatchObject([
      { status: 'INTENDED', sentAt: null, lastAskedAt: expect.any(Date) },
    ]);
    await open.system.sandbox.control('DELETE', '/faults');
    open.system.clock.advance(minuteMs);
    await dispatch(open, payoutId);
    expect(await listAtProvider(open, key)).toHaveLength(1);
  });

  it('is moved to the end of the poll when it cannot be claimed', async ({ open }) => {
    const { payoutId } = await open.payout();
    await open.fault('create-payout', 'timeout');
    await open.drain();
    open.system.clock.advance(2 * minuteMs);
    const before = await attemptsOf(open, payoutId);
    await open.runSweeps(
      'payouts-poll-attempts',
      open.replica(undefined, {
        database: { ...open.system.database, inTransaction: cutOff },
      }),
    );
    expect(await attemptsOf(open, payoutId)).toEqual(
      before.map((attempt) => ({ ...attempt, lastAskedAt: open.system.clock.now() })),
    );
  });

  it('is not sent under a key that the provider may have forgotten', async ({ open }) => {
    const { payoutId, key } = await open.payout();
    await open.fault('create-payout', 'timeout');
    await open.drain();
    expect((await attemptsOf(open, payoutId)).map(({ status }) => status)).toEqual(['UNKNOWN']);
    open.system.clock.advance(7 * dayMs - 30 * minuteMs);
    await open.runSweeps('payouts-poll-attempts');
    expect(await listRequests(open, key)).toHaveLength(1);
    expect((await payoutRow(open, payoutId)).status).toBe('PROCESSING');
    open.system.clock.advance(31 * minuteMs);
    await open.runSweeps('payouts-poll-attempts');
    expect(await listRequests(open, key)).toHaveLength(1);
    expect(await payoutRow(open, payoutId)).toMatchObject({ status: 'FAILED' });
  });
});

describe('a worker that is killed', () => {
  it.for([
    ['before the fund account', dyingAt('ensureFundAccount', 'before')],
    ['after the fund account', dyingAt('ensureFundAccount', 'after')],
    ['before the payout', dyingAt('createPayout', 'before')],
    ['after the payout', dyingAt('createPayout', 'after')],
  ] as const)(
    '%s leaves an intent that another worker continues',
    async ([_when, wrap], { open }) => {
      const { payoutId, key } = await open.payout();
      const killed = open.replica(wrap);
      expect(await open.drain(killed)).toHaveLength(1);
      expect(await attemptsOf(open, payoutId)).toMatchObject([{ status: 'INTENDED' }]);
      // The first worker still holds the lease.
      await dispatch(open, payoutId);
      expect(await attemptsOf(open, payoutId)).toMatchObject([{ status: 'INTENDED' }]);
      open.system.clock.advance(2 * minuteMs);
      await open.lapseLeases();
      await open.runSweeps('payouts-poll-attempts');
      expect(await listAtProvider(open, key)).toHaveLength(1);
      expect(await attemptsOf(open, payoutId)).toMatchObject([
        { status: 'PROCESSING', attemptNo: 1 },
      ]);
    },
  );

  it('before it wrote anything leaves a payout that the sweep enqueues', async ({ open }) => {
    const { payoutId, key } = await open.payout();
    await open.system.db.$executeRaw`DELETE FROM graphile_worker._private_jobs`;
    await open.runSweeps('payouts-resume-pending');
    expect(await open.drain()).toEqual([]);
    expect((await payoutRow(open, payoutId)).status).toBe('PENDING');
    open.system.clock.advance(2 * minuteMs);
    await open.runSweeps('payouts-resume-pending');
    await open.drain();
    expect(await listAtProvider(open, key)).toHaveLength(1);
  });
});

describe('a refusal of the provider', () => {
  it('fails the payout at once when it was never sent before', async ({ open }) => {
    const { payoutId } = await open.payout();
    await open.drain(open.replica(refusing('no such fund account')));
    expect(await payoutRow(open, payoutId)).toMatchObject({
      status: 'FAILED',
      failureReason: 'no such fund account',
    });
  });

  it('of a resend counts only when no earlier request can still arrive', async ({ open }) => {
    const { payoutId } = await open.payout();
    const lost = open.replica((real) => ({ ...real, createPayout: async () => unknown('lost') }));
    await open.drain(lost);
    const refusingReplica = open.replica(refusing('another body'));
    open.system.clock.advance(2 * minuteMs);
    await open.runSweeps('payouts-poll-attempts', refusingReplica);
    expect((await payoutRow(open, payoutId)).status).toBe('PROCESSING');
    open.system.clock.advance(4 * minuteMs);
    await open.runSweeps('payouts-poll-attempts', refusingReplica);
    expect((await payoutRow(open, payoutId)).status).toBe('FAILED');
  });

  it('does not count after a send by an older version, which stores no time', async ({ open }) => {
    const { payoutId } = await open.payout();
    const lost = open.replica((real) => ({ ...real, createPayout: async () => unknown('lost') }));
    await open.drain(lost);
    await open.system.db.payoutAttempt.updateMany({ where: { payoutId }, data: { sentAt: null } });
    open.system.clock.advance(2 * minuteMs);
    await open.runSweeps('payouts-poll-attempts', open.replica(refusing('another body')));
    expect((await payoutRow(open, payoutId)).status).toBe('PROCESSING');
  });

  it('counts once the last unanswered send must have arrived', async ({ open }) => {
    const { payoutId } = await open.payout();
    const lost = open.replica((real) => ({ ...real, createPayout: async () => unknown('lost') }));
    await open.drain(lost);
    open.system.clock.advance(6 * minuteMs);
    await open.runSweeps('payouts-poll-attempts', lost);
    const refusingReplica = open.replica(refusing('another body'));
    for (const minutes of [2, 2]) {
      open.system.clock.advance(minutes * minuteMs);
      await open.runSweeps('payouts-poll-attempts', refusingReplica);
      expect((await payoutRow(open, payoutId)).status).toBe('PROCESSING');
    }
    open.system.clock.advance(2 * minuteMs);
    await open.runSweeps('payouts-poll-attempts', refusingReplica);
    expect((await payoutRow(open, payoutId)).status).toBe('FAILED');
  });
});

describe('the log', () => {
  it('contains no part of an account number', async ({ open }) => {
    const number = '918273645509999';
    const { payoutId } = await open.payout(7700n, number);
    await open.fault('create-payout', 'accept_then_timeout');
    await open.drain();
    open.system.clock.advance(2 * minuteMs);
    await open.runSweeps();
    const logged = open.system.logged();
    expect(logged).toContain(payoutId);
    expect(logged).not.toContain(number);
    expect(logged).not.toContain(number.slice(0, 9));
    expect(logged).not.toContain(number.slice(-9));
  });
});
