import { describe, expect } from 'vitest';
import type { PayoutProvider } from '../../adapters/payout-provider/port.ts';
import { payoutTest } from '#test/support/payout-test.ts';
import { eventually } from '#test/support/eventually.ts';
import type { OpenPayouts } from '#test/support/open-payouts.ts';

const it = payoutTest();

const minuteMs = 60_000;
const row = (open: OpenPayouts, id: string) =>
  open.system.db.bankAccount.findUniqueOrThrow({ where: { id } });
const notificationsOf = (open: OpenPayouts, userId: string) =>
  open.system.db.notification.findMany({
    where: { userId, type: { in: ['bank_verified', 'bank_failed'] } },
  });

/** Adds an account whose validation stays open until a test ends it. It is not started yet. */
const addAccount = async (open: OpenPayouts, ending = '8888') => {
  const { userId, call } = await open.customer();
  const accountNumber = `${open.system.random.digits(8)}${ending}`;
  const body = { accountNumber, ifsc: 'HDFC0000053', holderName: 'Asha Rao' };
  const answer = await call('POST', '/bank-accounts', body);
  expect(answer.status).toBe(201);
  const id = String(answer.body['id']);
  return {
    id,
    userId,
    call,
    accountNumber,
    verify: () => call('PATCH', `/bank-accounts/${id}/verify`),
  };
};
const play = (open: OpenPayouts, id: string, outcome: string, deliver = 'webhook') =>
  open.system.sandbox.control('POST', `/validations/${id}`, { outcome, deliver });
const countStarts = async (open: OpenPayouts, id: string): Promise<number> =>
  (await open.journal('validate-account')).filter(({ body }) => body['reference_id'] === id).length;
const nextRound = async (
  open: OpenPayouts,
  replica?: Parameters<OpenPayouts['runSweeps']>[1],
): Promise<void> => {
  open.system.clock.advance(2 * minuteMs);
  await open.lapseLeases();
  await open.runSweeps('banking-poll-open-validations', replica);
};

describe('a penny-drop', () => {
  it('verifies the account, seals the registered name, and notifies the customer', async ({
    open,
  }) => {
    const { id, userId, call } = await addAccount(open, '1234');
    expect(await countStarts(open, id)).toBe(0);
    await open.drain();
    await eventually(async () => (await row(open, id)).status === 'VERIFIED');
    const { body } = await call('GET', '/bank-accounts');
    expect(body['items']).toMatchObject([
      { id, status: 'VERIFIED', primary: true, nameMatchScore: expect.any(Number) },
    ]);
    const kept = await row(open, id);
    expect(kept.registeredNameSealed).not.toBeNull();
    expect(JSON.stringify(kept)).not.toMatch(/asha/iu);
    expect(await notificationsOf(open, userId)).toMatchObject([
      { type: 'bank_verified', data: { bankAccountId: id } },
    ]);
    expect(await countStarts(open, id)).toBe(1);
  });

  it.for([
    ['completed, but no active account', 'invalid'],
    ['could not be done', 'failed'],
  ] as const)('that %s makes the account FAILED', async ([_what, outcome], { open }) => {
    const { id, userId } = await addAccount(open);
    await open.drain();
    await play(open, id, outcome);
    await eventually(async () => (await row(open, id)).status === 'FAILED');
    expect(await notificationsOf(open, userId)).toMatchObject([{ type: 'bank_failed' }]);
    expect(await row(open, id)).toMatchObject({ isPrimary: false, verifiedAt: null });
  });

  it('is queried when its event is lost', async ({ open }) => {
    const { id } = await addAccount(open);
    await open.drain();
    await nextRound(open);
    expect((await row(open, id)).status).toBe('PENDING');
    await play(open, id, 'active', 'none');
    await nextRound(open);
    expect((await row(open, id)).status).toBe('VERIFIED');
    expect(await countStarts(open, id)).toBe(1);
  });

  it('has one effect when its event comes twice and it is queried', async ({ open }) => {
    const { id, userId } = await addAccount(open);
    await open.drain();
    await play(open, id, 'active', 'duplicate');
    await Promise.all([nextRound(open), nextRound(open, open.replica())]);
    await eventually(async () => (await row(open, id)).status === 'VERIFIED');
    expect(await notificationsOf(open, userId)).toHaveLength(1);
  });

  it('is applied even if its event arrives before the answer', async ({ open }) => {
    const { id } = await addAccount(open);
    const hasty = open.replica((real) => ({
      ...real,
      async startValidation(asked) {
        const outcome = await real.startValidation(asked);
        if (outcome.kind !== 'done') return outcome;
        await play(open, id, 'invalid');
        const subject = outcome.value.validationId;
        await eventually(async () => {
          const [event] = await open.system.db.webhookEvent.findMany({ where: { subject } });
          return event?.status === 'UNMATCHED';
        });
        return outcome;
      },
    }));
    await open.drain(hasty);
    expect((await row(open, id)).status).toBe('PENDING');
    await open.runSweeps('payouts-apply-matchable-events');
    expect((await row(open, id)).status).toBe('FAILED');
  });
});

describe('the start of a penny-drop', () => {
  it.for(['accept_then_timeout', 'timeout', 'reset', 'error', 'malformed'])(
    'is repeated under the same reference if its answer is lost (%s)',
    async (fault, { open }) => {
      const { id } = await addAccount(open);
      await open.fault('validate-account', fault);
      await open.drain();
      expect(await row(open, id)).toMatchObject({ status: 'PENDING', providerValidationId: null });
      // It is not repeated at once, because its event may be on its way.
      await open.runSweeps('banking-poll-open-validations');
      expect((await row(open, id)).providerValidationId).toBeNull();
      await nextRound(open);
      expect((await row(open, id)).providerValidationId).not.toBeNull();
      expect(await countStarts(open, id)).toBe(2);
    },
  );

  it('is decided by its event, which is matched by its reference, if its answer is lost', async ({
    open,
  }) => {
    const { id } = await addAccount(open);
    await open.fault('validate-account', 'accept_then_timeout');
    await open.drain();
    await play(open, id, 'active');
    await eventually(async () => (await row(open, id)).status === 'VERIFIED');
    await nextRound(open);
    expect(await countStarts(open, id)).toBe(1);
  });

  it('is retried by the queue if it did not reach the provider', async ({ open }) => {
    const { id } = await addAccount(open);
    const cutOff = open.replica((real) => ({
      ...real,
      startValidation: async () => ({ kind: 'refused', code: 'NOT_SENT', message: 'cut off' }),
    }));
    expect(await open.drain(cutOff)).toHaveLength(1);
    expect((await row(open, id)).status).toBe('PENDING');
    // The handler reads only its payload.
    await open.banking.jobs['banking.validate']?.({ bankAccountId: id }, {} as never);
    expect((await row(open, id)).providerValidationId).not.toBeNull();
  });

  it('does not block other accounts if it never reaches the provider', async ({ open }) => {
    const { id } = await addAccount(open);
    await open.fault('validate-account', 'timeout');
    await open.drain();
    // The number is one more than the batch of a pass.
    const stuck = await Promise.all(Array.from({ length: 101 }, () => addAccount(open)));
    const stuckIds = new Set(stuck.map((account) => account.id));
    const cutOff = open.replica((real) => ({
      ...real,
      startValidation: async (asked) =>
        stuckIds.has(asked.bankAccountId)
          ? { kind: 'refused', code: 'NOT_SENT', message: 'cut off' }
          : real.startValidation(asked),
    }));
    await nextRound(open, cutOff);
    await nextRound(open, cutOff);
    expect((await row(open, id)).providerValidationId).not.toBeNull();
    await open.system.db.bankAccount.updateMany({
      where: { id: { in: [...stuckIds] } },
      data: { deletedAt: open.system.clock.now() },
    });
  });

  it('makes the account FAILED if the provider refuses it', async ({ open }) => {
    const { id } = await addAccount(open);
    const refusing = open.replica((real) => ({
      ...real,
      startValidation: async () => ({ kind: 'refused', code: 'PAYOUT_REFUSED', message: 'no' }),
    }));
    expect(await open.drain(refusing)).toEqual([]);
    expect(await row(open, id)).toMatchObject({ status: 'FAILED', failureReason: 'no' });
  });

  it.for(['before', 'after'])(
    'is continued after the worker is killed %s the call',
    async (when, { open }) => {
      const { id } = await addAccount(open);
      const dying = (real: PayoutProvider): PayoutProvider => ({
        ...real,
        async startValidation(asked) {
          if (when === 'after') await real.startValidation(asked);
          throw new Error('killed');
        },
      });
      expect(await open.drain(open.replica(dying))).toHaveLength(1);
      await nextRound(open);
      expect((await row(open, id)).providerValidationId).not.toBeNull();
      await play(open, id, 'active', 'none');
      await nextRound(open);
      expect((await row(open, id)).status).toBe('VERIFIED');
    },
  );

  it('is requested once by two concurrent workers', async ({ open }) => {
    const { id } = await addAccount(open);
    const validate = open.banking.jobs['banking.validate'];
    await Promise.all([1, 2, 3].map(async () => validate?.({ bankAccountId: id }, {} as never)));
    expect(await countStarts(open, id)).toBe(1);
  });
});

describe('verifying again', () => {
  it('starts a further penny-drop of a FAILED account', async ({ open }) => {
    const { id, verify } = await addAccount(open);
    await open.drain();
    const { providerValidationId: old } = await row(open, id);
    await play(open, id, 'invalid');
    await eventually(async () => (await row(open, id)).status === 'FAILED');
    expect(await verify()).toMatchObject({ status: 200, body: { id, status: 'PENDING' } });
    // A late report of the first validation changes nothing.
    const late = { validationId: old ?? '', referenceId: id, providerStatus: 'completed' } as const;
    const effect = await open.banking.applyValidation(open.system.db, {
      ...late,
      status: 'INVALID',
    });
    expect(effect).toBe('UNMATCHED');
    await open.drain();
    expect(await countStarts(open, id)).toBe(2);
    expect(await row(open, id)).toMatchObject({ status: 'PENDING', validationAttempt: 2 });
    await play(open, id, 'active');
    await eventually(async () => (await row(open, id)).status === 'VERIFIED');
  });

  it('queries the open penny-drop of a PENDING account', async ({ open }) => {
    const { id, verify } = await addAccount(open);
    await open.drain();
    await play(open, id, 'active', 'none');
    expect(await verify()).toMatchObject({ status: 200, body: { status: 'PENDING' } });
    await open.drain();
    expect((await row(open, id)).status).toBe('VERIFIED');
    expect(await countStarts(open, id)).toBe(1);
    expect(await verify()).toMatchObject({ status: 409, code: 'ILLEGAL_TRANSITION' });
  });

  it('queries an open one ten times in a minute, and then returns the known state', async ({
    open,
  }) => {
    const { id, verify } = await addAccount(open);
    await open.drain();
    await play(open, id, 'active', 'none');
    await open.system.db.useWindow.create({
      data: {
        name: 'collaborator_questions',
        subjectId: id,
        startedAt: open.system.clock.now(),
        uses: 10,
      },
    });
    expect(await verify()).toMatchObject({ status: 200, body: { status: 'PENDING' } });
    await open.drain();
    expect((await row(open, id)).status).toBe('PENDING');
    open.system.clock.advance(60_000);
    expect(await verify()).toMatchObject({ status: 200, body: { status: 'PENDING' } });
    await open.drain();
    expect((await row(open, id)).status).toBe('VERIFIED');
  });

  it('is 404 for a deleted account, whose late event is ignored', async ({ open }) => {
    const { id, call, userId, verify } = await addAccount(open);
    await open.drain();
    await call('DELETE', `/bank-accounts/${id}`);
    expect(await verify()).toMatchObject({ status: 404 });
    const { providerValidationId: validationId } = await row(open, id);
    const report = { validationId: validationId ?? '', providerStatus: 'completed' } as const;
    const effect = await open.banking.applyValidation(open.system.db, {
      ...report,
      status: 'VALID',
    });
    expect(effect).toBe('IGNORED');
    expect(await notificationsOf(open, userId)).toEqual([]);
  });
});

describe('the log', () => {
  it('contains no part of an account number or a name', async ({ open }) => {
    const { id, accountNumber } = await addAccount(open);
    await open.fault('validate-account', 'error');
    await open.drain();
    await nextRound(open);
    await play(open, id, 'invalid');
    await eventually(async () => (await row(open, id)).status === 'FAILED');
    const logged = open.system.logged();
    expect(logged).toContain(id);
    expect(logged).not.toContain(accountNumber);
    expect(logged).not.toContain(accountNumber.slice(0, 8));
    expect(logged).not.toMatch(/asha rao/iu);
  });
});
