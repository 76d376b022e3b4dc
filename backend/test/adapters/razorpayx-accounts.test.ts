import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startAdapterFixture, valueOf, type AdapterFixture } from './adapter-fixture.ts';
import { bankOf, openRazorpayx, payee } from './razorpayx-fixture.ts';

let fixture: AdapterFixture;
let provider: ReturnType<typeof openRazorpayx>;

const play = (path: string, outcome: string): Promise<unknown> =>
  fixture.control('POST', path, { outcome, deliver: 'none' });

beforeAll(async () => {
  fixture = await startAdapterFixture('razorpayx');
});
afterAll(() => fixture.sandbox.stop());
beforeEach(async () => {
  await fixture.control('DELETE', '/faults');
  // A new one for each test, so that no circuit is left open.
  provider = openRazorpayx(fixture);
});
afterEach(() => provider.close());

describe('a fund account', () => {
  test('is made once for the same details', async () => {
    const first = valueOf(await provider.ensureFundAccount(bankOf('123456789012')));
    expect(valueOf(await provider.ensureFundAccount(bankOf('123456789012')))).toEqual(first);
    const other = valueOf(await provider.ensureFundAccount(bankOf('123456789013')));
    expect(other.contactId).toBe(first.contactId);
    expect(other.fundAccountId).not.toBe(first.fundAccountId);
    const contacts = await fixture.calls('create-contact');
    expect(contacts.at(-1)?.body).toEqual({
      name: 'Asha Rao',
      contact: '9876543210',
      type: 'customer',
      reference_id: payee.reference,
    });
  });

  test.each(['Al', '–', "O'"])('is made for one whose name is %j', async (holderName) => {
    const { bank } = bankOf('123456789014');
    const asked = { payee: { ...payee, name: holderName }, bank: { ...bank, holderName } };
    expect(await provider.ensureFundAccount(asked)).toMatchObject({ kind: 'done' });
  });

  test.each(['create-contact', 'create-fund-account'])(
    'comes about in spite of one bad answer to %s',
    async (operation) => {
      await fixture.fault(operation, 'error');
      expect(await provider.ensureFundAccount(bankOf('5555666677'))).toMatchObject({
        kind: 'done',
      });
    },
  );

  test.each([
    ['create-contact', 'malformed'],
    ['create-fund-account', 'error'],
  ])('is undecided while %s answers with %s', async (operation, fault) => {
    await fixture.fault(operation, fault, { times: 3 });
    expect(await provider.ensureFundAccount(bankOf('5555666678'))).toMatchObject({
      kind: 'unknown',
    });
  });

  test('that the provider refuses is a refusal that quotes no number', async () => {
    const bank = { ...bankOf('123456789012').bank, ifsc: 'NOPE' };
    const outcome = await provider.ensureFundAccount({ payee, bank });
    expect(outcome).toMatchObject({ kind: 'refused', code: 'PAYOUT_REFUSED' });
    expect(JSON.stringify(outcome)).not.toMatch(/\d{4}/);
  });
});

const start = (accountNumber: string, bankAccountId = 'bank-account-1') =>
  provider.startValidation({ bankAccountId, ...bankOf(accountNumber) });

describe('a penny-drop', () => {
  test('is pending, then says what the bank said', async () => {
    const started = valueOf(await start('123412348888', 'bank-account-2'));
    expect(started).toEqual({
      validationId: expect.stringMatching(/^fav_/),
      referenceId: 'bank-account-2',
      status: 'PENDING',
      providerStatus: 'created',
    });
    const now = async () => valueOf(await provider.getValidation(started.validationId));
    await play('/validations/bank-account-2', 'active');
    expect(await now()).toMatchObject({
      status: 'VALID',
      providerStatus: 'completed',
      registeredName: 'Asha Rao',
      nameMatchScore: 100,
    });
    await play('/validations/bank-account-2', 'invalid');
    expect(await now()).toMatchObject({
      status: 'INVALID',
      providerStatus: 'completed',
      nameMatchScore: 0,
      reason: 'The beneficiary account is invalid.',
    });
    await play('/validations/bank-account-2', 'failed');
    expect(await now()).toMatchObject({ status: 'FAILED', providerStatus: 'failed' });
  });

  test.each(['error', 'timeout', 'reset', 'malformed', 'accept_then_timeout'])(
    'is undecided after %s, and not sent twice',
    async (fault) => {
      const before = (await fixture.calls('validate-account')).length;
      await fixture.fault('validate-account', fault);
      expect(await start('123412348888')).toMatchObject({ kind: 'unknown' });
      expect(await fixture.calls('validate-account')).toHaveLength(before + 1);
      expect(await start('123412348888')).toMatchObject({ kind: 'done' });
    },
  );

  test('that the provider refuses, or does not know, is a refusal', async () => {
    expect(await start('1')).toMatchObject({ code: 'PAYOUT_REFUSED' });
    expect(await provider.getValidation('fav_of_nobody')).toMatchObject({
      code: 'PAYOUT_NOT_FOUND',
    });
    await fixture.fault('get-validation', 'error', { times: 3 });
    expect(await provider.getValidation('fav_of_nobody')).toMatchObject({ kind: 'unknown' });
  });
});
