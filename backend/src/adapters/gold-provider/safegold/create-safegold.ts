import { z } from 'zod';
import { mapDone } from '../../../platform/outcome/outcome.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import {
  UNKNOWN_TRANSACTION,
  type GoldProvider,
  type ProviderUser,
  type ProviderTransaction,
} from '../port.ts';
import { createSafegoldCalls, type SafegoldCalls } from './create-safegold-calls.ts';
import { mobileNumber, paths, safegoldRules } from './safegold.facts.ts';
import { userAnswer, invoiceAnswer, transactionsAnswer } from './safegold.schemas.ts';
import { createSafegoldPrice, createSafegoldTrades } from './create-safegold-trades.ts';
import type { SafegoldConfig } from './safegold.config.ts';

const inPath = encodeURIComponent;

const toUser = (answer: z.output<typeof userAnswer>): ProviderUser => ({
  providerUserId: answer.id,
  goldBalanceGrams: answer.gold_balance,
});

type Users = Pick<GoldProvider, 'register' | 'updateKyc' | 'getUser'>;

/** Creates the calls that register, update and read SafeGold's users. */
const createSafegoldUsers = ({ call }: SafegoldCalls): Users => ({
  async register({ phone, name, pincode, email }) {
    const answered = await call({
      operation: 'register',
      path: paths.users,
      body: { name, mobile_no: mobileNumber(phone), pin_code: pincode, email },
      answer: userAnswer,
      // registration-api: idempotent on `mobile_no`.
      isIdempotent: true,
    });
    return mapDone(answered, toUser);
  },

  async updateKyc({ providerUserId, pan, identityNumber }) {
    const answered = await call({
      operation: 'register',
      path: paths.kycUpdate(inPath(providerUserId)),
      body: { kyc_requirement: { pan_no: pan, identity_no: identityNumber } },
      answer: z.looseObject({}),
      isIdempotent: true,
    });
    return mapDone(answered, () => undefined);
  },

  async getUser(providerUserId) {
    const path = paths.user(inPath(providerUserId));
    return mapDone(await call({ operation: 'get-user', path, answer: userAnswer }), toUser);
  },
});

const kindByType: ReadonlyMap<string, ProviderTransaction['kind']> = new Map([
  ['buy', 'BUY'],
  ['sell', 'SELL'],
]);

type TransactionRow = z.output<typeof transactionsAnswer>['transactions'][number];

const toTransaction = (row: TransactionRow): ProviderTransaction => {
  const amountPaise = row.buy_price ?? row.sell_price;
  return {
    providerTxId: row.tx_id,
    kind: kindByType.get(row.type.toLowerCase()) ?? 'OTHER',
    ...(row.gold_amount === undefined ? {} : { grams: row.gold_amount }),
    ...(amountPaise === undefined ? {} : { amountPaise }),
  };
};

/** Creates SafeGold as the gold provider; assumptions about its API are in `safegold.facts.ts`. */
export const createSafegold = (
  config: SafegoldConfig,
  deps: AdapterDeps,
): GoldProvider & Closable => {
  const calls = createSafegoldCalls(config, deps);
  const invoice = invoiceAnswer(config.SAFEGOLD_BASE_URL);
  return {
    code: 'safegold',
    isTestSystem: new URL(config.SAFEGOLD_BASE_URL).hostname === 'partners-staging.safegold.com',
    rules: safegoldRules,
    price: createSafegoldPrice(calls, deps.clock, config.SAFEGOLD_SPOT_FIELD),
    ...createSafegoldUsers(calls),
    ...createSafegoldTrades(calls, deps.clock),

    async invoiceLink({ providerTxId }) {
      const answered = await calls.call({
        operation: 'invoice',
        path: paths.invoice(inPath(providerTxId)),
        answer: invoice,
        refusalCode: UNKNOWN_TRANSACTION,
      });
      return mapDone(answered, ({ link }) => link);
    },

    async listTransactions(providerUserId, page) {
      const answered = await calls.call({
        operation: 'transactions',
        path: paths.transactions(inPath(providerUserId)),
        query: { page: String(page) },
        answer: transactionsAnswer,
      });
      return mapDone(answered, ({ transactions, meta }) => ({
        transactions: transactions.map(toTransaction),
        hasMore: meta?.next !== undefined && meta.next !== null,
      }));
    },

    close: () => calls.close(),
  };
};
