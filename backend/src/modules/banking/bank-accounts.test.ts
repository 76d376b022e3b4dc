import { describe, expect } from 'vitest';
import { payoutTest } from '#test/support/payout-test.ts';
import type { Caller } from '#test/support/caller.ts';
import type { OpenPayouts } from '#test/support/open-payouts.ts';

const it = payoutTest();

const input = (open: OpenPayouts, more: object = {}) => ({
  accountNumber: `${open.system.random.digits(8)}8888`,
  ifsc: 'HDFC0000053',
  holderName: 'Asha Rao',
  ...more,
});
const add = (open: OpenPayouts, call: Caller, more: object = {}) =>
  call('POST', '/bank-accounts', input(open, more));
const row = (open: OpenPayouts, id: string) =>
  open.system.db.bankAccount.findUniqueOrThrow({ where: { id } });
const list = async (call: Caller) => {
  const { body } = await call('GET', '/bank-accounts');
  return body['items'] as { id: string; primary: boolean; status: string }[];
};
const primaryOf = async (call: Caller) =>
  (await list(call)).filter(({ primary }) => primary).map(({ id }) => id);

describe('adding a bank account', () => {
  it('returns the masked view, and stores number and names sealed', async ({ open }) => {
    const { call, userId } = await open.customer();
    const answer = await add(open, call, {
      accountNumber: '918273645518',
      holderName: ' Asha  Rao ',
    });
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toEqual({
      id: expect.any(String),
      accountLast4: '5518',
      ifsc: 'HDFC0000053',
      holderName: 'Asha Rao',
      status: 'PENDING',
      primary: false,
      nameMatchScore: null,
      createdAt: open.system.clock.now().toISOString(),
    });
    const kept = await row(open, String(answer.body['id']));
    expect(kept).toMatchObject({ userId, accountLast4: '5518', validationAttempt: 1 });
    const text = JSON.stringify(kept);
    expect(text).not.toContain('918273645518');
    expect(text).not.toContain('Asha');
    const listed = await call('GET', '/bank-accounts');
    expect(listed.body).toMatchObject({ total: 1, page: 1, limit: 20, items: [answer.body] });
    expect(JSON.stringify(listed.body)).not.toContain('918273645518');
  });

  it.for([
    ['accountNumber', { accountNumber: '12345678' }],
    ['accountNumber', { accountNumber: '1234567890123456789' }],
    ['accountNumber', { accountNumber: '12345678a' }],
    ['accountNumber', { accountNumber: 123_456_789_012 }],
    ['ifsc', { ifsc: 'HDFC1000053' }],
    ['ifsc', { ifsc: 'hdfc0000053' }],
    ['ifsc', { ifsc: 'HDFC000005' }],
    ['holderName', { holderName: '  ' }],
    ['holderName', { holderName: '12' }],
    ['holderName', { holderName: 'Asha\nRao' }],
    ['holderName', { holderName: 'Asha\u202eoaR' }],
    ['holderName', { holderName: '\u200b\u200b' }],
    ['holderName', { holderName: 'x'.repeat(101) }],
    ['primary', { primary: 'yes' }],
  ] as const)('is 400 for a wrong %s: %o', async ([field, more], { open }) => {
    const { call } = await open.customer();
    const answer = await add(open, call, more);
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field });
  });

  it('notifies the customer, without the number', async ({ open }) => {
    const { call, userId } = await open.customer();
    const { body } = await add(open, call, { accountNumber: '918273645519' });
    const rows = await open.system.db.notification.findMany({ where: { userId } });
    expect(rows).toMatchObject([{ type: 'bank_added', data: { bankAccountId: body['id'] } }]);
    expect(JSON.stringify(rows)).toContain('5519');
    expect(JSON.stringify(rows)).not.toContain('918273645519');
  });

  it('is 409 for the sixth account, even with concurrent requests', async ({ open }) => {
    const { call } = await open.customer();
    const answers = await Promise.all(Array.from({ length: 9 }, () => add(open, call)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(answer).toMatchObject({ status: 409, code: 'BANK_ACCOUNT_LIMIT' });
    }
    const [first] = await list(call);
    expect(await call('DELETE', `/bank-accounts/${first?.id ?? ''}`)).toMatchObject({
      status: 204,
    });
    expect(await add(open, call)).toMatchObject({ status: 201 });
  });

  it('is 409 for an existing account, even concurrently, but not for another customer', async ({
    open,
  }) => {
    const [{ call }, other] = [await open.customer(), await open.customer()];
    const same = { accountNumber: '700070007000' };
    const answers = await Promise.all([
      add(open, call, same),
      add(open, call, same),
      add(open, call, same),
    ]);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status !== 201)).toMatchObject([
      { status: 409, code: 'BANK_ACCOUNT_DUPLICATE' },
      { status: 409, code: 'BANK_ACCOUNT_DUPLICATE' },
    ]);
    expect(await add(open, other.call, same)).toMatchObject({ status: 201 });
    expect(await add(open, call, { ...same, ifsc: 'ICIC0000001' })).toMatchObject({ status: 201 });
    const [, first] = await list(call);
    await call('DELETE', `/bank-accounts/${first?.id ?? ''}`);
    expect(await add(open, call, same)).toMatchObject({ status: 201 });
    expect(open.system.logged()).not.toContain('700070007000');
  });
});

describe('the primary account', () => {
  it('is the first verified account, until the customer chooses another', async ({ open }) => {
    const { call, userId } = await open.customer();
    const waiting = String((await add(open, call)).body['id']);
    const first = await open.account(userId);
    const second = await open.account(userId);
    expect(await primaryOf(call)).toEqual([first]);
    expect(await call('PATCH', `/bank-accounts/${second}/primary`)).toMatchObject({
      status: 200,
      body: { id: second, primary: true },
    });
    expect(await primaryOf(call)).toEqual([second]);
    expect(await call('PATCH', `/bank-accounts/${waiting}/primary`)).toMatchObject({
      status: 400,
      code: 'BANK_ACCOUNT_NOT_VERIFIED',
    });
    expect(await primaryOf(call)).toEqual([second]);
  });

  it('is the account that was added as primary, once it is verified', async ({ open }) => {
    const { call, userId } = await open.customer();
    const first = await open.account(userId);
    const wanted = String((await add(open, call, { primary: true })).body['id']);
    await open.drain();
    expect(await primaryOf(call)).toEqual([first]);
    const { providerValidationId } = await row(open, wanted);
    await open.banking.applyValidation(open.system.db, {
      validationId: providerValidationId ?? '',
      status: 'VALID',
      providerStatus: 'completed',
    });
    expect(await primaryOf(call)).toEqual([wanted]);
  });

  it('is only one account, even with concurrent requests', async ({ open }) => {
    const { call, userId } = await open.customer();
    const ids = [await open.account(userId), await open.account(userId)];
    const choose = (id: string) => call('PATCH', `/bank-accounts/${id}/primary`);
    const answers = await Promise.all([...ids, ...ids, ...ids].map(choose));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await primaryOf(call)).toHaveLength(1);
  });

  it('is the account that was verified first after the primary account is deleted', async ({
    open,
  }) => {
    const { call, userId } = await open.customer();
    const [first, second, third] = [
      await open.account(userId),
      await open.account(userId),
      await open.account(userId),
    ];
    await call('PATCH', `/bank-accounts/${third}/primary`);
    expect(await call('DELETE', `/bank-accounts/${third}`)).toMatchObject({ status: 204 });
    expect(await primaryOf(call)).toEqual([first]);
    await call('DELETE', `/bank-accounts/${second}`);
    expect(await primaryOf(call)).toEqual([first]);
  });
});

describe('deleting an account', () => {
  it('is 409 while a payout to it is in flight', async ({ open }) => {
    const { call, bankAccountId, payoutId } = await open.payout();
    const remove = () => call('DELETE', `/bank-accounts/${bankAccountId}`);
    const inUse = { status: 409, code: 'BANK_ACCOUNT_IN_USE' };
    expect(await remove()).toMatchObject(inUse);
    await open.drain();
    expect(await remove()).toMatchObject(inUse);
    await open.system.sandbox.control('POST', `/payouts/${payoutId}`, {
      outcome: 'processed',
      deliver: 'none',
    });
    open.system.clock.advance(120_000);
    await open.runSweeps('payouts-poll-attempts');
    expect(await remove()).toMatchObject({ status: 204 });
    expect(await remove()).toMatchObject({ status: 404 });
    expect(await list(call)).toEqual([]);
    const { body } = await call('GET', `/payouts/${payoutId}`);
    expect(body).toMatchObject({ bankAccountId, accountLast4: '9999', status: 'PAID' });
  });
});

describe("another customer's account", () => {
  it('is 404 on every route, as if it did not exist', async ({ open }) => {
    const [owner, other] = [await open.customer(), await open.customer()];
    const id = await open.account(owner.userId);
    const missing = { status: 404, code: 'NOT_FOUND' };
    for (const target of [id, open.system.random.uuid(), 'x']) {
      expect(await other.call('PATCH', `/bank-accounts/${target}/primary`)).toMatchObject(missing);
      expect(await other.call('PATCH', `/bank-accounts/${target}/verify`)).toMatchObject(missing);
      expect(await other.call('DELETE', `/bank-accounts/${target}`)).toMatchObject(missing);
    }
    expect(await list(other.call)).toEqual([]);
    expect(await primaryOf(owner.call)).toEqual([id]);
  });
});
