import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Closable } from '../../src/adapters/adapter-deps.ts';
import { createCi } from '../../src/adapters/ci/create-ci.ts';
import type { Ci } from '../../src/adapters/ci/port.ts';
import { createGoldProvider } from '../../src/adapters/gold-provider/create-gold-provider.ts';
import type { GoldProvider } from '../../src/adapters/gold-provider/port.ts';
import { createPayoutProvider } from '../../src/adapters/payout-provider/create-payout-provider.ts';
import type { PayoutProvider } from '../../src/adapters/payout-provider/port.ts';
import { fromSafeBps, fromSafePaise, parseGrams, parseRupees } from '../../src/money/index.ts';
import { createManualClock } from '../../src/platform/clock/manual-clock.ts';
import { startAnswerServer, type AnswerServer } from './answer-server.ts';
import { leftOutWays, type Row } from './left-out-ways.ts';

// The gold provider, the payout provider and the CI system may leave out parts of their answers.

const silent = (): void => {};
const deps = {
  clock: createManualClock(new Date('2026-01-05T04:00:00.000Z')),
  logger: { debug: silent, warn: silent },
};
let server: AnswerServer;
let gold: GoldProvider & Closable;
let payouts: PayoutProvider & Closable;
let ci: Ci & Closable;

const openCi = (): Ci & Closable => {
  const made = createCi(
    {
      APP_MODE: 'test',
      CI_PROVIDER: 'github',
      GITHUB_API_URL: server.url,
      GITHUB_TOKEN: 'dev-only-github-token',
      GITHUB_OWNER: 'digital-gold',
      GITHUB_REPOSITORY: 'service',
    },
    deps,
  );
  if (made === undefined) throw new Error('there is a token');
  return made;
};

beforeAll(async () => {
  server = await startAnswerServer();
});
beforeEach(() => {
  gold = createGoldProvider(
    {
      APP_MODE: 'test',
      SAFEGOLD_BASE_URL: server.url,
      SAFEGOLD_TOKEN: 'dev-only-safegold-token',
    },
    deps,
  );
  payouts = createPayoutProvider(
    {
      APP_MODE: 'test',
      RAZORPAYX_BASE_URL: server.url,
      RAZORPAYX_KEY_ID: 'rzp_test_key',
      RAZORPAYX_KEY_SECRET: 'dev-only-razorpayx-key-secret',
      RAZORPAYX_ACCOUNT_NUMBER: '7878780080316316',
      PAYOUT_WEBHOOK_SECRETS: 'dev-only-payout-webhook-secret',
    },
    deps,
  );
  ci = openCi();
});
afterEach(async () => {
  await gold.close();
  await payouts.close();
  await ci.close();
});
afterAll(() => server.stop());

const answer = (body: Row): void => server.answerWith(() => ({ body }));

const grams = parseGrams('1');
const trade = { providerUserId: '7', reference: 'order-1', rateId: '9', grams };
const amountPaise = fromSafePaise(250_000);

describe.each(leftOutWays)('a field that is %s', (_way, without) => {
  const verified: Row = {
    tx_id: 71,
    rate_id: 9,
    user_id: 7,
    gold_amount: 1,
    buy_price: 10_300,
    sell_price: 9700,
  };

  test.each(['rate_id', 'user_id', 'buy_price', 'sell_price'])(
    'keeps nobody from buying and selling at SafeGold: %s',
    async (name) => {
      answer(without(verified, name));
      const bought = await gold.verifyBuy({
        ...trade,
        rateBuyPaise: parseRupees('10000'),
        rateTaxBps: fromSafeBps(300),
      });
      expect(bought).toMatchObject({ value: { providerTxId: '71', grams } });
      const sold = await gold.verifySell({ ...trade, rateSellPaise: parseRupees('9700') });
      expect(sold).toMatchObject({ value: { providerTxId: '71', grams } });
    },
  );

  test('leaves nobody at SafeGold without the number that they have: mobile_no', async () => {
    answer(without({ id: 7, mobile_no: '9876543210', gold_balance: 1 }, 'mobile_no'));
    expect(await gold.getUser('7')).toMatchObject({ value: { goldBalanceGrams: grams } });
  });

  test('is no doubt about what SafeGold executed: invoice_id', async () => {
    answer(without({ invoice_id: 'invoice-1' }, 'invoice_id'));
    const providerAmountPaise = parseRupees('10300');
    const request = { ...trade, providerTxId: '71', providerAmountPaise, pincode: '560001' };
    expect(await gold.confirmBuy(request)).toMatchObject({ kind: 'done' });
  });

  const transaction: Row = {
    tx_id: 71,
    type: 'buy',
    gold_amount: 1,
    buy_price: 10_300,
    user_id: 7,
  };

  test.each(['type', 'gold_amount', 'buy_price', 'user_id'])(
    'hides no transaction of SafeGold: %s',
    async (name) => {
      answer({ transactions: [without(transaction, name)], meta: null });
      expect(await gold.listTransactions('7', 1)).toMatchObject({
        value: { transactions: [{ providerTxId: '71' }], unreadable: 0 },
      });
    },
  );

  const payout: Row = {
    id: 'pout_1',
    entity: 'payout',
    fund_account_id: 'fa_1',
    amount: 250_000,
    currency: 'INR',
    mode: 'IMPS',
    reference_id: 'payout-1',
    utr: '000011112222',
    status: 'processed',
    failure_reason: 'none',
    status_details: { description: 'done', reason: 'done', source: 'bank' },
    created_at: 1_767_585_600,
  };

  test.each(Object.keys(payout).filter((name) => !['id', 'amount', 'status'].includes(name)))(
    'hides no payout of RazorpayX: %s',
    async (name) => {
      answer(without(payout, name));
      expect(await payouts.getPayout('pout_1')).toMatchObject({
        value: { status: 'PAID', amountPaise },
      });
      answer({ items: [without(payout, name)] });
      const from = deps.clock.now();
      expect(await payouts.listPayouts({ from, to: from, page: 1 })).toMatchObject({
        value: { payouts: [{ status: 'PAID', amountPaise }], unreadable: 0 },
      });
    },
  );

  test('leaves a payout of RazorpayX under way, to be queried again: status', async () => {
    answer(without(payout, 'status'));
    expect(await payouts.getPayout('pout_1')).toMatchObject({ value: { status: 'PROCESSING' } });
  });

  test('pays nobody twice where a payout does not name its reference', async () => {
    answer({ items: [without(payout, 'reference_id')] });
    expect(await payouts.findPayoutByReference('payout-1')).toMatchObject({ kind: 'unknown' });
  });

  test.each(['contact_id', 'bank_account'])(
    'keeps nobody from being paid by RazorpayX: %s',
    async (name) => {
      const account: Row = {
        id: 'fa_1',
        contact_id: 'cont_1',
        bank_account: { account_number: '50100123454321' },
      };
      server.answerWith((request) => ({
        body: request.endsWith('/contacts')
          ? without({ id: 'cont_1', reference_id: 'customer-1' }, 'reference_id')
          : without(account, name),
      }));
      const outcome = await payouts.ensureFundAccount({
        payee: { reference: 'customer-1', name: 'Asha Rao' },
        bank: { holderName: 'Asha Rao', ifsc: 'HDFC0001234', accountNumber: '50100123454321' },
      });
      expect(outcome).toMatchObject({ value: { contactId: 'cont_1', fundAccountId: 'fa_1' } });
    },
  );

  const found: Row = {
    account_status: 'active',
    registered_name: 'Asha Rao',
    name_match_score: 100,
    details: 'ok',
  };
  const validation: Row = {
    id: 'fav_1',
    status: 'completed',
    reference_id: 'account-1',
    validation_results: found,
    status_details: { description: 'done' },
  };

  test.each(['registered_name', 'name_match_score', 'details'])(
    'is no doubt about an account that RazorpayX validated: %s',
    async (name) => {
      answer({ ...validation, validation_results: without(found, name) });
      expect(await payouts.getValidation('fav_1')).toMatchObject({ value: { status: 'VALID' } });
    },
  );

  test('refuses an account at once of which RazorpayX names no status, with the reason', async () => {
    const why = { status: 'FAILED', reason: 'The bank named no status of the account.' };
    answer({
      ...without(validation, 'status_details'),
      validation_results: without(without(found, 'details'), 'account_status'),
    });
    expect(await payouts.getValidation('fav_1')).toMatchObject({ value: why });
    answer(without(without(validation, 'status_details'), 'validation_results'));
    expect(await payouts.getValidation('fav_1')).toMatchObject({ value: why });
  });

  const run: Row = {
    id: 42,
    name: 'Deploy backend',
    display_title: 'Deploy backend',
    status: 'completed',
    conclusion: 'success',
    head_branch: 'main',
    event: 'workflow_dispatch',
    html_url: 'https://github.example/runs/42',
    path: '.github/workflows/deploy-backend.yml@main',
    created_at: '2026-01-05T04:00:00Z',
    updated_at: '2026-01-05T04:00:00Z',
    actor: { login: 'deployer' },
    triggering_actor: { login: 'deployer' },
  };

  test.each(Object.keys(run).filter((name) => !['id', 'created_at'].includes(name)))(
    'hides no run of GitHub: %s',
    async (name) => {
      answer({ workflow_runs: [without(run, name)] });
      expect(await ci.listRuns({ target: 'backend', count: 10 })).toMatchObject({
        value: { runs: [{ id: '42' }], unreadable: 0 },
      });
    },
  );

  test('hides no run that GitHub was told to begin: html_url', async () => {
    answer(without({ workflow_run_id: 42, html_url: 'https://github.example' }, 'html_url'));
    const dispatched = await ci.dispatch({ target: 'backend', branch: 'main', correlationId: 'c' });
    expect(dispatched).toMatchObject({ value: { run: { id: '42', url: expect.any(String) } } });
  });
});
