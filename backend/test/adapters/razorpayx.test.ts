import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Closable } from '../../src/adapters/adapter-deps.ts';
import { createPayoutProvider } from '../../src/adapters/payout-provider/create-payout-provider.ts';
import type {
  CreatePayout,
  EnsureFundAccount,
  PayoutProvider,
} from '../../src/adapters/payout-provider/port.ts';
import { fromSafePaise, parseRupees } from '../../src/money/index.ts';
import { eventually } from '../support/eventually.ts';
import { startAdapterKit, valueOf, type AdapterKit } from './adapter-kit.ts';

let kit: AdapterKit;
let provider: PayoutProvider & Closable;
let attempts = 0;

const payee = {
  reference: '01890000-0000-7000-8000-000000000001',
  name: 'Aśha  Rao–',
  phone: '+919876543210',
};

const bankOf = (accountNumber: string): EnsureFundAccount => ({
  payee,
  bank: { holderName: 'Asha Rao', ifsc: 'HDFC0000053', accountNumber },
});

const fundAccountOf = async (accountNumber: string): Promise<string> =>
  valueOf(await provider.ensureFundAccount(bankOf(accountNumber))).fundAccountId;

/** An attempt's key. */
const nextKey = (): string => {
  attempts += 1;
  return `${attempts.toString(16).padStart(32, '0')}-1`;
};

/** A new attempt; its account leaves payouts open unless told otherwise. */
const newPayout = async (accountNumber = '111122229999'): Promise<CreatePayout> => {
  const key = nextKey();
  return {
    idempotencyKey: key,
    fundAccountId: await fundAccountOf(accountNumber),
    amountPaise: parseRupees('1234.56'),
    mode: 'IMPS',
    referenceId: key,
    narration: 'Gold sale #12, thank you very much indeed',
  };
};

const play = (path: string, outcome: string): Promise<unknown> =>
  kit.control('POST', path, { outcome, deliver: 'none' });

beforeAll(async () => {
  kit = await startAdapterKit('razorpayx');
});
afterAll(() => kit.sandbox.stop());
beforeEach(async () => {
  await kit.control('DELETE', '/faults');
  provider = createPayoutProvider({ ...kit.env, RAZORPAYX_TIMEOUT_MS: '500' }, kit.deps);
});
afterEach(() => provider.close());

describe('a fund account', () => {
  test('is made once for the same details', async () => {
    const first = valueOf(await provider.ensureFundAccount(bankOf('123456789012')));
    expect(valueOf(await provider.ensureFundAccount(bankOf('123456789012')))).toEqual(first);
    const other = valueOf(await provider.ensureFundAccount(bankOf('123456789013')));
    expect(other.contactId).toBe(first.contactId);
    expect(other.fundAccountId).not.toBe(first.fundAccountId);
    const contacts = await kit.calls('create-contact');
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
      await kit.fault(operation, 'error');
      expect(await provider.ensureFundAccount(bankOf('5555666677'))).toMatchObject({
        kind: 'done',
      });
    },
  );

  test.each([
    ['create-contact', 'malformed'],
    ['create-fund-account', 'error'],
  ])('is undecided while %s answers with %s', async (operation, fault) => {
    await kit.fault(operation, fault, { times: 3 });
    expect(await provider.ensureFundAccount(bankOf('5555666678'))).toMatchObject({
      kind: 'unknown',
    });
  });

  test('that the provider refuses is a refusal that quotes no number', async () => {
    const bank = { ...bankOf('123456789012').bank, ifsc: 'NOPE' };
    const told = await provider.ensureFundAccount({ payee, bank });
    expect(told).toMatchObject({ kind: 'refused', code: 'PAYOUT_REFUSED' });
    expect(JSON.stringify(told)).not.toMatch(/\d{4}/);
  });
});

describe('a payout', () => {
  test('is asked for with its key and the body that the provider wants', async () => {
    const asked = await newPayout();
    const made = valueOf(await provider.createPayout(asked));
    expect(made).toEqual({
      providerPayoutId: expect.stringMatching(/^pout_/),
      referenceId: asked.referenceId,
      fundAccountId: asked.fundAccountId,
      amountPaise: 123_456n,
      status: 'PROCESSING',
      providerStatus: 'processing',
      mode: 'IMPS',
    });
    const [entry] = (await kit.calls('create-payout')).slice(-1);
    expect(entry).toMatchObject({
      idempotencyKey: asked.idempotencyKey,
      body: {
        account_number: '7878780080316316',
        fund_account_id: asked.fundAccountId,
        amount: 123_456,
        currency: 'INR',
        mode: 'IMPS',
        purpose: 'payout',
        queue_if_low_balance: true,
        reference_id: asked.referenceId,
        narration: 'Gold sale 12 thank you very mu',
      },
    });
  });

  test('is the same for the same key, however often it is sent', async () => {
    const asked = await newPayout();
    const first = valueOf(await provider.createPayout(asked));
    const sends = Array.from({ length: 5 }, () => provider.createPayout(asked));
    for (const again of await Promise.all(sends)) expect(valueOf(again)).toEqual(first);
    expect(valueOf(await provider.findPayoutByReference(asked.referenceId))).toEqual(first);
    expect(valueOf(await provider.getPayout(first.providerPayoutId))).toEqual(first);
  });

  test('that was made for another amount is no refusal: it exists', async () => {
    const asked = await newPayout();
    valueOf(await provider.createPayout(asked));
    const other = { ...asked, amountPaise: fromSafePaise(1_000) };
    expect(await provider.createPayout(other)).toEqual({
      kind: 'unknown',
      reason: 'ECHO_MISMATCH',
    });
    const reworded = await provider.createPayout({ ...asked, narration: 'Other words' });
    expect(valueOf(reworded).amountPaise).toBe(asked.amountPaise);
  });

  test('that the provider refuses certainly does not exist', async () => {
    const asked = { ...(await newPayout()), fundAccountId: 'fa_of_nobody' };
    expect(await provider.createPayout(asked)).toMatchObject({ code: 'PAYOUT_REFUSED' });
    expect(valueOf(await provider.findPayoutByReference(asked.referenceId))).toBeUndefined();
  });

  test('whose refusal cannot be confirmed is undecided', async () => {
    const asked = { ...(await newPayout()), fundAccountId: 'fa_of_nobody' };
    await kit.fault('list-payouts', 'error', { times: 3 });
    expect(await provider.createPayout(asked)).toMatchObject({ kind: 'unknown' });
  });

  test.each([
    ['amountPaise', fromSafePaise(99)],
    ['amountPaise', fromSafePaise(50_000_001)],
    ['idempotencyKey', 'k'.repeat(37)],
    ['referenceId', 'r'.repeat(41)],
  ])('with %s %s is never sent', async (name, value) => {
    const before = (await kit.calls('create-payout')).length;
    const asked = { ...(await newPayout()), [name]: value };
    expect(await provider.createPayout(asked)).toMatchObject({ code: 'PAYOUT_REFUSED' });
    expect(await kit.calls('create-payout')).toHaveLength(before);
  });

  test.each([
    ['error', false],
    ['timeout', false],
    ['reset', false],
    ['malformed', true],
    ['accept_then_timeout', true],
    ['wrong_amount', true],
  ])('is undecided after %s and not sent twice; found: %s', async (fault, made) => {
    const asked = await newPayout();
    const before = (await kit.calls('create-payout')).length;
    await kit.fault('create-payout', fault);
    expect(await provider.createPayout(asked)).toMatchObject({ kind: 'unknown' });
    expect(await kit.calls('create-payout')).toHaveLength(before + 1);
    const found = valueOf(await provider.findPayoutByReference(asked.referenceId));
    expect(found !== undefined).toBe(made);
    const resent = valueOf(await provider.createPayout(asked));
    expect(resent.amountPaise).toBe(asked.amountPaise);
    const known = found?.providerPayoutId ?? resent.providerPayoutId;
    expect(resent.providerPayoutId).toBe(known);
  });

  test('that is worked at after its caller gave up is found, and made once', async () => {
    const asked = await newPayout();
    await kit.fault('create-payout', 'slow', { delayMs: 700 });
    expect(await provider.createPayout(asked)).toMatchObject({ kind: 'unknown' });
    const made = valueOf(await provider.createPayout(asked));
    await eventually(async () => {
      const [late] = (await kit.calls('create-payout')).slice(-2);
      expect(late).toMatchObject({ status: 200, response: { id: made.providerPayoutId } });
    });
  });

  test.each([
    [401, 'NOT_AUTHORISED'],
    [429, 'RATE_LIMITED'],
  ])('that was turned away with %s was not looked at: %s', async (status, code) => {
    await kit.fault('create-payout', 'error', { status });
    expect(await provider.createPayout(await newPayout())).toMatchObject({ code });
  });

  test('is undecided after a 409', async () => {
    await kit.fault('create-payout', 'error', { status: 409 });
    expect(await provider.createPayout(await newPayout())).toMatchObject({ kind: 'unknown' });
  });

  test.each([
    ['processed', 'PAID'],
    ['failed', 'FAILED'],
    ['rejected', 'FAILED'],
    ['reversed', 'REVERSED'],
  ])('that is %s is %s', async (outcome, status) => {
    const asked = await newPayout();
    const { providerPayoutId } = valueOf(await provider.createPayout(asked));
    await play(`/payouts/${providerPayoutId}`, outcome);
    const now = valueOf(await provider.getPayout(providerPayoutId));
    expect(now).toMatchObject({ status, providerStatus: outcome });
    expect(now.utr !== undefined).toBe(status === 'PAID');
    expect(now.failureReason !== undefined).toBe(status !== 'PAID');
  });

  test('that nobody made is told from one that nobody can tell about', async () => {
    expect(await provider.getPayout('pout_of_nobody')).toMatchObject({ code: 'PAYOUT_NOT_FOUND' });
    expect(await provider.findPayoutByReference('none')).toEqual({
      kind: 'done',
      value: undefined,
    });
    await kit.fault('get-payout', 'error', { times: 3 });
    expect(await provider.getPayout('pout_of_nobody')).toMatchObject({ kind: 'unknown' });
    await kit.fault('list-payouts', 'malformed', { times: 3 });
    expect(await provider.findPayoutByReference('none')).toMatchObject({ kind: 'unknown' });
  });
});

test('payouts of a stretch of time are listed page by page', async () => {
  const from = new Date(kit.clock.now().getTime() - 3_600_000);
  const to = new Date(kit.clock.now().getTime() + 3_600_000);
  const asked = await newPayout();
  for (let count = 0; count < 101; count += 1) {
    const key = nextKey();
    valueOf(await provider.createPayout({ ...asked, idempotencyKey: key, referenceId: key }));
  }
  const first = valueOf(await provider.listPayouts({ from, to, page: 1 }));
  expect(first).toMatchObject({ hasMore: true });
  const second = valueOf(await provider.listPayouts({ from, to, page: 2 }));
  expect(second.hasMore).toBe(false);
  const ids = [...first.payouts, ...second.payouts].map((payout) => payout.providerPayoutId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBeGreaterThan(100);
  const before = { from: new Date(from.getTime() - 3_600_000), to: from, page: 1 };
  expect(valueOf(await provider.listPayouts(before))).toEqual({ payouts: [], hasMore: false });
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
      const before = (await kit.calls('validate-account')).length;
      await kit.fault('validate-account', fault);
      expect(await start('123412348888')).toMatchObject({ kind: 'unknown' });
      expect(await kit.calls('validate-account')).toHaveLength(before + 1);
      expect(await start('123412348888')).toMatchObject({ kind: 'done' });
    },
  );

  test('that the provider refuses, or does not know, is a refusal', async () => {
    expect(await start('1')).toMatchObject({ code: 'PAYOUT_REFUSED' });
    expect(await provider.getValidation('fav_of_nobody')).toMatchObject({
      code: 'PAYOUT_NOT_FOUND',
    });
    await kit.fault('get-validation', 'error', { times: 3 });
    expect(await provider.getValidation('fav_of_nobody')).toMatchObject({ kind: 'unknown' });
  });
});
