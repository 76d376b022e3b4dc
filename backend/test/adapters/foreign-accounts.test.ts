import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Closable } from '../../src/adapters/adapter-deps.ts';
import { createGoldProvider } from '../../src/adapters/gold-provider/create-gold-provider.ts';
import type { GoldProvider } from '../../src/adapters/gold-provider/port.ts';
import { createPayoutProvider } from '../../src/adapters/payout-provider/create-payout-provider.ts';
import type { PayoutProvider } from '../../src/adapters/payout-provider/port.ts';
import { fromSafeBps, parseGrams, parseRupees } from '../../src/money/index.ts';
import { createManualClock } from '../../src/platform/clock/manual-clock.ts';
import { startAnswerServer, type AnswerServer } from './answer-server.ts';
import { bankOf, payee } from './razorpayx-fixture.ts';

// Answers that are well formed and about another customer, account or rate than the request.

const silent = (): void => {};
let server: AnswerServer;
let payouts: PayoutProvider & Closable;
let gold: GoldProvider & Closable;

beforeAll(async () => {
  server = await startAnswerServer();
});
// New ones for each test, so that no circuit is left open.
beforeEach(() => {
  const deps = { clock: createManualClock(new Date()), logger: { debug: silent, warn: silent } };
  payouts = createPayoutProvider(
    {
      APP_MODE: 'test',
      RAZORPAYX_BASE_URL: server.url,
      RAZORPAYX_KEY_ID: 'key',
      RAZORPAYX_KEY_SECRET: 'dev-only-razorpayx-key-secret',
      RAZORPAYX_ACCOUNT_NUMBER: '7878780080316316',
      PAYOUT_WEBHOOK_SECRETS: 'dev-only-payout-webhook-secret',
    },
    deps,
  );
  gold = createGoldProvider(
    { APP_MODE: 'test', SAFEGOLD_BASE_URL: server.url, SAFEGOLD_TOKEN: 'dev-only-safegold-token' },
    deps,
  );
});
afterEach(async () => {
  await payouts.close();
  await gold.close();
});
afterAll(() => server.stop());

describe('a fund account', () => {
  const number = '123456789012';
  const asked = bankOf(number);
  const answer = (contact: object, account: object) =>
    server.answerWith((request) => ({
      body: request.includes('contacts')
        ? { id: 'cont_1', reference_id: payee.reference, ...contact }
        : {
            id: 'fa_1',
            contact_id: 'cont_1',
            bank_account: { ifsc: 'HDFC0000053', account_number: number },
            ...account,
          },
    }));

  test('is the one of the account and customer that were named', async () => {
    answer({}, {});
    expect(await payouts.ensureFundAccount(asked)).toEqual({
      kind: 'done',
      value: { contactId: 'cont_1', fundAccountId: 'fa_1' },
    });
  });

  test('may be answered with its number masked', async () => {
    answer({}, { bank_account: { account_number: 'XXXXXXXX9012' } });
    expect(await payouts.ensureFundAccount(asked)).toMatchObject({ kind: 'done' });
  });

  test.each([
    ['contact', { reference_id: 'another-customer' }, {}],
    ["contact's account", {}, { contact_id: 'cont_2' }],
    ['account number', {}, { bank_account: { account_number: '123456789013' } }],
    ['masked number', {}, { bank_account: { account_number: 'XXXXXXXX9013' } }],
  ])('of another %s is none to pay to', async (_what, contact, account) => {
    answer(contact, account);
    expect(await payouts.ensureFundAccount(asked)).toMatchObject({ kind: 'unknown' });
  });
});

const start = () =>
  payouts.startValidation({ bankAccountId: 'account-1', ...bankOf('123456789012') });

test('a penny-drop of another account verifies none', async () => {
  const validation = {
    id: 'fav_1',
    status: 'completed',
    validation_results: { account_status: 'active' },
  };
  server.answerWith(() => ({ body: { ...validation, reference_id: 'account-1' } }));
  expect(await start()).toMatchObject({ kind: 'done', value: { status: 'VALID' } });
  server.answerWith(() => ({ body: { ...validation, reference_id: 'account-2' } }));
  expect(await start()).toMatchObject({ kind: 'unknown' });
});

test('an address that RazorpayX does not have says nothing about a payout', async () => {
  const description = 'The requested URL was not found on the server.';
  server.answerWith(() => ({
    status: 404,
    body: { error: { code: 'BAD_REQUEST_ERROR', description } },
  }));
  expect(await payouts.getPayout('pout_1')).toMatchObject({ code: 'PAYOUT_REFUSED' });
});

const register = () =>
  gold.register({ phone: '+919876543210', name: 'Asha Rao', pincode: '560001' });

describe("a customer's gold", () => {
  test.each(['9876543210', '+919876543210', 9_876_543_210, 'XXXXXX3210', undefined])(
    'is of the number that was registered: %s',
    async (mobile) => {
      server.answerWith(() => ({ body: { id: 7, mobile_no: mobile, gold_balance: 1.5 } }));
      expect(await register()).toMatchObject({ kind: 'done', value: { providerUserId: '7' } });
    },
  );

  test('is never that of another number', async () => {
    server.answerWith(() => ({ body: { id: 8, mobile_no: '9812345678', gold_balance: 1.5 } }));
    expect(await register()).toMatchObject({ kind: 'unknown' });
  });

  test('is not read off the balance of another customer', async () => {
    server.answerWith(() => ({ body: { id: 8, gold_balance: 0 } }));
    expect(await gold.getUser('8')).toMatchObject({ kind: 'done' });
    expect(await gold.getUser('7')).toMatchObject({ kind: 'unknown' });
  });

  test.each(['', ' ', 'a\u0000b', 'x'.repeat(129)])(
    'has no id that cannot be kept: %j',
    async (id) => {
      server.answerWith(() => ({ body: { id, gold_balance: 0 } }));
      expect(await register()).toMatchObject({ kind: 'unknown' });
    },
  );
});

describe('a verify', () => {
  const asked = {
    providerUserId: '7',
    reference: 'order-1',
    rateId: '31',
    grams: parseGrams('1'),
    rateBuyPaise: parseRupees('10000'),
    rateTaxBps: fromSafeBps(300),
  };
  const answered = { tx_id: 71, gold_amount: 1, buy_price: 10_300, user_id: 7, rate_id: 31 };

  test('of this customer at this rate is done', async () => {
    server.answerWith(() => ({ body: answered }));
    expect(await gold.verifyBuy(asked)).toMatchObject({ value: { providerTxId: '71' } });
  });

  test.each([{ user_id: 8 }, { rate_id: '32' }])('of another binds nobody: %o', async (more) => {
    server.answerWith(() => ({ body: { ...answered, ...more } }));
    expect(await gold.verifyBuy(asked)).toMatchObject({ kind: 'unknown' });
  });
});
