import { attemptsOf, payoutRow, playPayout, retryPayout } from '#test/support/payout-calls.ts';
import { payoutTest } from '#test/support/payout-test.ts';
import { lockRows, untilBlocked } from '#test/support/lock-rows.ts';
import { describe, expect } from 'vitest';
import type { OpenPayouts } from '#test/support/open-payouts.ts';
import { eventually } from '#test/support/eventually.ts';
import { bearerCaller, type Caller } from '#test/support/caller.ts';
import { createAdmins } from '../admins/index.ts';

const it = payoutTest()
  .extend('superAdmin', { scope: 'file' }, ({ open }) => open.operator('SUPER_ADMIN'))
  .extend('admin', { scope: 'file' }, ({ open }) => open.operator('ADMIN'));

const cap = 10_000_000n;
const exceeded = { status: 403, code: 'PAYOUT_CAP_EXCEEDED' };
const conflict = { status: 409, code: 'ILLEGAL_TRANSITION' };

const auditOf = (open: OpenPayouts, targetId: string) =>
  open.system.db.auditLog.findMany({ where: { targetId }, orderBy: { seq: 'asc' } });
const keysOf = async (open: OpenPayouts, payoutId: string): Promise<(string | undefined)[]> => {
  const plain = payoutId.replaceAll('-', '');
  const sent = await open.journal('create-payout');
  return sent.map(({ idempotencyKey }) => idempotencyKey).filter((key) => key?.startsWith(plain));
};
const approve = (call: Caller, id: string) => call('POST', `/payouts/${id}/approve`);

/** Creates a payout that the provider certainly did not pay. */
const createFailed = async (
  open: OpenPayouts,
  superAdmin: { adminId: string; call: Caller },
  amountPaise?: bigint,
) => {
  const made = await open.payout(amountPaise);
  if ((amountPaise ?? 0n) > cap) await approve(superAdmin.call, made.payoutId);
  await open.drain();
  await playPayout(open, made.payoutId, 'failed');
  open.system.clock.advance(120_000);
  await open.runSweeps('payouts-poll-attempts');
  expect((await payoutRow(open, made.payoutId)).status).toBe('FAILED');
  return made;
};

describe('an approval', () => {
  it('by an ADMIN is refused one paisa above the cap, with nothing changed', async ({
    open,
    admin,
  }) => {
    const { payoutId } = await open.payout(cap + 1n);
    const before = await payoutRow(open, payoutId);
    expect(await approve(admin.call, payoutId)).toMatchObject(exceeded);
    expect(await payoutRow(open, payoutId)).toEqual(before);
    expect(before.status).toBe('PENDING');
    await open.drain();
    expect(await keysOf(open, payoutId)).toEqual([]);
    expect(await auditOf(open, payoutId)).toEqual([]);
  });

  it('by an ADMIN goes through at exactly the cap', async ({ open, admin }) => {
    const { payoutId } = await open.payout(cap);
    const answer = await approve(admin.call, payoutId);
    expect(answer).toMatchObject({
      status: 200,
      body: { id: payoutId, status: 'PROCESSING', approvedBy: admin.adminId, attempt: 1 },
    });
    await open.drain();
    expect(await keysOf(open, payoutId)).toHaveLength(1);
  });

  it('by a SUPER_ADMIN goes through above it, and is audited', async ({ open, superAdmin }) => {
    const { payoutId, userId, bankAccountId } = await open.payout(cap + 1n);
    expect(await approve(superAdmin.call, payoutId)).toMatchObject({
      status: 200,
      body: { status: 'PROCESSING', userId, approvedBy: superAdmin.adminId },
    });
    expect(await auditOf(open, payoutId)).toMatchObject([
      {
        action: 'payout.approve',
        actorId: superAdmin.adminId,
        before: { status: 'PENDING', attempt: 0, bankAccountId, approvedBy: null },
        after: { status: 'PROCESSING', attempt: 1, bankAccountId, approvedBy: superAdmin.adminId },
      },
    ]);
    await open.drain();
    expect(await keysOf(open, payoutId)).toHaveLength(1);
  });

  it('dispatches once when operators approve at once', async ({ open, superAdmin }) => {
    const { payoutId } = await open.payout(cap + 5n);
    const other = await open.operator('SUPER_ADMIN');
    const url = open.system.addresses.migrateUrl;
    const lock = await lockRows(url, 'SELECT 1 FROM payout WHERE id = $1::uuid FOR UPDATE', [
      payoutId,
    ]);
    const approvals = [superAdmin.call, other.call, superAdmin.call, other.call].map((call) =>
      approve(call, payoutId),
    );
    await untilBlocked(url, 4);
    await lock.release();
    const answers = await Promise.all(approvals);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status !== 200)).toMatchObject([
      conflict,
      conflict,
      conflict,
    ]);
    const loser = answers.find(({ status }) => status === 409);
    expect(loser?.body).toMatchObject({ error: { details: { status: 'PROCESSING' } } });
    await open.drain();
    expect(await keysOf(open, payoutId)).toHaveLength(1);
    expect(await auditOf(open, payoutId)).toHaveLength(1);
    expect(await attemptsOf(open, payoutId)).toHaveLength(1);
  });

  it('is refused to SUPPORT, and for a payout that does not exist', async ({
    open,
    superAdmin,
  }) => {
    const { payoutId } = await open.payout(cap + 1n);
    const support = await open.operator('SUPPORT');
    expect(await approve(support.call, payoutId)).toMatchObject({ status: 403 });
    expect(await retryPayout(support.call, payoutId)).toMatchObject({ status: 403 });
    expect(await approve(superAdmin.call, open.system.random.uuid())).toMatchObject({
      status: 404,
    });
    expect(await approve(superAdmin.call, 'x')).toMatchObject({ status: 404 });
  });

  it('of a payout to an account that is no longer verified makes the payout FAILED', async ({
    open,
    superAdmin,
  }) => {
    const { payoutId, bankAccountId } = await open.payout(cap + 1n);
    await open.system.db.bankAccount.update({
      where: { id: bankAccountId },
      data: { status: 'FAILED' },
    });
    expect(await approve(superAdmin.call, payoutId)).toMatchObject({
      status: 200,
      body: { status: 'FAILED', failureReason: 'The bank account is not verified.' },
    });
    await open.drain();
    expect(await keysOf(open, payoutId)).toEqual([]);
  });
});

describe('a retry', () => {
  it('starts a further attempt under a new key', async ({ open, superAdmin, admin }) => {
    const { payoutId, key, orderId } = await createFailed(open, superAdmin);
    expect(await retryPayout(admin.call, payoutId)).toMatchObject({
      status: 200,
      body: { status: 'PENDING', approvedBy: admin.adminId, failureReason: null },
    });
    await open.drain();
    const [first = '', second = ''] = await keysOf(open, payoutId);
    expect([first, second]).toEqual([key, key.replace(/1$/u, '2')]);
    await playPayout(open, payoutId, 'processed');
    open.system.clock.advance(120_000);
    await open.runSweeps('payouts-poll-attempts');
    expect(await payoutRow(open, payoutId)).toMatchObject({ status: 'PAID', attempt: 2 });
    expect((await open.sales.state(orderId)).status).toBe('COMPLETED');
    expect((await attemptsOf(open, payoutId)).map(({ status }) => status)).toEqual([
      'FAILED',
      'PAID',
    ]);
    expect(await auditOf(open, payoutId)).toMatchObject([
      {
        action: 'payout.retry',
        before: { status: 'FAILED', attempt: 1 },
        after: { status: 'PENDING', attempt: 1, approvedBy: admin.adminId },
      },
    ]);
  });

  it('happens once when operators retry at once, and cannot also be approved', async ({
    open,
    superAdmin,
    admin,
  }) => {
    const { payoutId } = await createFailed(open, superAdmin);
    const calls = [superAdmin.call, admin.call, superAdmin.call, admin.call];
    const answers = await Promise.all(calls.map((call) => retryPayout(call, payoutId)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const pending = { ...conflict, body: { error: { details: { status: 'PENDING' } } } };
    expect(answers.filter(({ status }) => status !== 200)).toMatchObject([
      pending,
      pending,
      pending,
    ]);
    expect(await approve(admin.call, payoutId)).toMatchObject(conflict);
    await open.drain();
    expect(await keysOf(open, payoutId)).toHaveLength(2);
    expect(await retryPayout(superAdmin.call, payoutId)).toMatchObject(conflict);
  });

  it('is refused if another retry was sent and failed while it queried the provider', async ({
    open,
    superAdmin,
  }) => {
    const { payoutId } = await createFailed(open, superAdmin);
    const retryMeanwhile = async (): Promise<void> => {
      expect(await retryPayout(superAdmin.call, payoutId)).toMatchObject({ status: 200 });
      await open.drain();
      await playPayout(open, payoutId, 'failed');
      open.system.clock.advance(120_000);
      await open.runSweeps('payouts-poll-attempts');
    };
    const meanwhile = [retryMeanwhile];
    const { payouts } = open.replica((real) => ({
      ...real,
      async getPayout(id) {
        const answer = await real.getPayout(id);
        await meanwhile.pop()?.();
        return answer;
      },
    }));
    const url = await open.system.serve({
      prefix: '/v1',
      routes: payouts.adminRoutes,
      guard: createAdmins({ ...open.system, tokenTtlSeconds: 3600 }).guard,
    });
    const { token } = await open.factories.admin('SUPER_ADMIN');
    // The second attempt was not queried, so a third attempt might pay twice.
    expect(await retryPayout(bearerCaller(url, token), payoutId)).toMatchObject(conflict);
    expect(await payoutRow(open, payoutId)).toMatchObject({ status: 'FAILED', attempt: 2 });
    expect(await keysOf(open, payoutId)).toHaveLength(2);
  });

  it('above the cap is refused to an ADMIN, with nothing changed', async ({
    open,
    superAdmin,
    admin,
  }) => {
    const { payoutId } = await createFailed(open, superAdmin, cap + 1n);
    const before = await payoutRow(open, payoutId);
    expect(await retryPayout(admin.call, payoutId)).toMatchObject(exceeded);
    expect(await payoutRow(open, payoutId)).toEqual(before);
    await open.drain();
    expect(await keysOf(open, payoutId)).toHaveLength(1);
    expect(await retryPayout(superAdmin.call, payoutId)).toMatchObject({ status: 200 });
  });

  it('may name another verified account of the same customer', async ({
    open,
    superAdmin,
    admin,
  }) => {
    const { payoutId, userId } = await createFailed(open, superAdmin);
    const number = `${open.system.random.digits(8)}9999`;
    const bankAccountId = await open.account(userId, number);
    const body = { bankAccountId };
    expect(await retryPayout(admin.call, payoutId, body)).toMatchObject({
      status: 200,
      body: { bankAccountId, accountLast4: '9999' },
    });
    expect(await auditOf(open, payoutId)).toMatchObject([{ after: { bankAccountId } }]);
    await open.drain();
    const [first, second] = await attemptsOf(open, payoutId);
    expect(first?.bankAccountId).not.toBe(bankAccountId);
    expect(second?.bankAccountId).toBe(bankAccountId);
  });

  it('to an account that is foreign, deleted or not verified is refused', async ({
    open,
    superAdmin,
    admin,
  }) => {
    const { payoutId, userId, bankAccountId } = await createFailed(open, superAdmin);
    const foreign = await open.customer();
    const before = await payoutRow(open, payoutId);
    const theirs = { bankAccountId: await open.account(foreign.userId) };
    expect(await retryPayout(admin.call, payoutId, theirs)).toMatchObject({ status: 404 });
    const own = { bankAccountId: await open.account(userId, '555544449999') };
    await open.system.db.bankAccount.update({
      where: { id: own.bankAccountId },
      data: { status: 'PENDING' },
    });
    const unverified = { status: 400, code: 'BANK_ACCOUNT_NOT_VERIFIED', field: 'bankAccountId' };
    expect(await retryPayout(admin.call, payoutId, own)).toMatchObject(unverified);
    await open.system.db.bankAccount.update({
      where: { id: own.bankAccountId },
      data: { status: 'VERIFIED', deletedAt: open.system.clock.now() },
    });
    expect(await retryPayout(admin.call, payoutId, own)).toMatchObject({ status: 404 });
    await open.system.db.bankAccount.update({
      where: { id: bankAccountId },
      data: { deletedAt: open.system.clock.now() },
    });
    expect(await retryPayout(admin.call, payoutId)).toMatchObject(unverified);
    expect(await payoutRow(open, payoutId)).toEqual(before);
    expect(await retryPayout(admin.call, payoutId, { bankAccountId: 'x' })).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
    });
  });

  it('is refused unless the payout is FAILED or REVERSED', async ({ open, admin }) => {
    const { payoutId } = await open.payout();
    expect(await retryPayout(admin.call, payoutId)).toMatchObject(conflict);
    await open.drain();
    expect(await retryPayout(admin.call, payoutId)).toMatchObject(conflict);
  });

  it('is refused if the provider reports the earlier attempt as paid', async ({
    open,
    superAdmin,
    admin,
  }) => {
    const { payoutId } = await createFailed(open, superAdmin);
    await playPayout(open, payoutId, 'processed');
    expect(await retryPayout(admin.call, payoutId)).toMatchObject({
      status: 409,
      code: 'OUTCOME_UNDECIDED',
    });
    expect((await payoutRow(open, payoutId)).status).toBe('FAILED');
    await open.drain();
    expect(await keysOf(open, payoutId)).toHaveLength(1);
  });

  it.for(['timeout', 'reset', 'error', 'malformed'])(
    'is refused, and changes nothing, while the provider gives no answer: %s',
    async (fault, { open, superAdmin, admin }) => {
      const { payoutId } = await createFailed(open, superAdmin);
      const before = await payoutRow(open, payoutId);
      await open.fault('get-payout', fault, { times: 10 });
      expect(await retryPayout(admin.call, payoutId)).toMatchObject({
        status: 503,
        code: 'SERVICE_UNAVAILABLE',
      });
      expect(await payoutRow(open, payoutId)).toEqual(before);
      await open.system.sandbox.control('DELETE', '/faults');
      await open.drain();
      expect(await keysOf(open, payoutId)).toHaveLength(1);
      // After repeated failures the adapter sends nothing to the provider for some seconds.
      await eventually(async () => {
        expect(await retryPayout(admin.call, payoutId)).toMatchObject({ status: 200 });
      });
    },
  );

  it('follows a reversal, and a late event of the reversed attempt is ignored', async ({
    open,
    admin,
  }) => {
    const { payoutId, orderId } = await open.payout();
    await open.drain();
    for (const outcome of ['processed', 'reversed']) {
      await playPayout(open, payoutId, outcome);
      open.system.clock.advance(120_000);
      await open.runSweeps('payouts-poll-attempts');
      if (outcome === 'processed') {
        const { providerPayoutId } = await payoutRow(open, payoutId);
        await open.deliver({
          event: 'payout.reversed',
          payload: { payout: { entity: { id: providerPayoutId } } },
        });
      }
    }
    expect((await payoutRow(open, payoutId)).status).toBe('REVERSED');
    expect(await retryPayout(admin.call, payoutId)).toMatchObject({ status: 200 });
    await open.drain();
    expect(await payoutRow(open, payoutId)).toMatchObject({ status: 'PROCESSING', attempt: 2 });
    const [first] = await attemptsOf(open, payoutId);
    const late = { id: first?.providerPayoutId, reference_id: first?.idempotencyKey };
    await open.deliver({ event: 'payout.failed', payload: { payout: { entity: late } } });
    expect(await payoutRow(open, payoutId)).toMatchObject({ status: 'PROCESSING', attempt: 2 });
    expect((await open.sales.state(orderId)).status).toBe('CONFIRMED');
  });
});

describe('the lists of payouts', () => {
  it('show operators pending and processing payouts, unless the request names a status', async ({
    open,
    superAdmin,
    admin,
  }) => {
    const [waiting, failed] = [await open.payout(cap + 1n), await createFailed(open, superAdmin)];
    const listOf = (userId: string, more = '') =>
      admin.call('GET', `/payouts?userId=${userId}${more}`);
    const pending = await listOf(waiting.userId);
    expect(pending.body).toMatchObject({ total: 1, page: 1, limit: 20 });
    expect(pending.body['items']).toMatchObject([
      { id: waiting.payoutId, status: 'PENDING', accountLast4: '9999', providerPayoutId: null },
    ]);
    expect((await listOf(failed.userId)).body['total']).toBe(0);
    expect((await listOf(failed.userId, '&status=FAILED')).body['total']).toBe(1);
    expect(await admin.call('GET', '/payouts?status=LOST')).toMatchObject({ status: 400 });
    const support = await open.operator('SUPPORT');
    expect((await support.call('GET', '/payouts')).status).toBe(200);
  });

  it('show customers their own payouts, without the account number', async ({ open }) => {
    const mine = await open.payout(4500n, '424242429999');
    const other = await open.customer();
    const listed = await mine.call('GET', '/payouts');
    expect(listed.body).toMatchObject({ total: 1, items: [{ id: mine.payoutId }] });
    expect(JSON.stringify(listed.body)).not.toContain('424242429999');
    expect((await other.call('GET', '/payouts')).body).toMatchObject({ total: 0, items: [] });
    expect(await other.call('GET', `/payouts/${mine.payoutId}`)).toMatchObject({ status: 404 });
  });
});
