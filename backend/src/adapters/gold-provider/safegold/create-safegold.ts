import { z } from 'zod';
import { meanPrice, type Paise } from '../../../money/index.ts';
import { addMs } from '../../../platform/clock/clock.ts';
import { UNREADABLE } from '../../../platform/http-client/index.ts';
import { done, mapDone, unknown } from '../../../platform/outcome/outcome.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { UNKNOWN_TRANSACTION } from '../port.ts';
import type { GoldProvider, ProviderTransaction, ProviderUser } from '../port.ts';
import { createSafegoldCalls } from './create-safegold-calls.ts';
import { createSafegoldTrades } from './create-safegold-trades.ts';
import type { SafegoldConfig } from './safegold.config.ts';
import { mobileNumber, paths, rateValidityMs, safegoldRules } from './safegold.facts.ts';
import * as answers from './safegold.schemas.ts';

const inPath = encodeURIComponent;

const toUser = (answer: z.output<typeof answers.userAnswer>): ProviderUser => ({
  providerUserId: answer.id,
  goldBalanceGrams: answer.gold_balance,
});

const kindByType: ReadonlyMap<string, ProviderTransaction['kind']> = new Map([
  ['buy', 'BUY'],
  ['sell', 'SELL'],
]);

type TransactionRow = z.output<typeof answers.transactionsAnswer>['transactions'][number];

const toTransaction = (row: TransactionRow): ProviderTransaction => {
  const amountPaise = row.buy_price ?? row.sell_price;
  return {
    providerTxId: row.tx_id,
    kind: kindByType.get(row.type.toLowerCase()) ?? 'OTHER',
    ...(row.gold_amount === undefined ? {} : { grams: row.gold_amount }),
    ...(amountPaise === undefined ? {} : { amountPaise }),
  };
};

/** SafeGold as the gold provider; the wire's facts are in `safegold.facts.ts`. */
export const createSafegold = (
  config: SafegoldConfig,
  deps: AdapterDeps,
): GoldProvider & Closable => {
  const calls = createSafegoldCalls(config, deps);
  const { call } = calls;
  const { SAFEGOLD_SPOT_FIELD: spotField } = config;

  /** The named field of the buy price; the mean where none is named; undefined if unreadable. */
  const spotOf = (buyAnswer: object, buy: Paise, sell: Paise): Paise | undefined => {
    if (spotField === undefined) return meanPrice(buy, sell);
    const field: unknown = Reflect.get(buyAnswer, spotField);
    return answers.spotPrice.safeParse(field).data;
  };

  return {
    code: 'safegold',
    rules: safegoldRules,

    async price() {
      const validUntil = addMs(deps.clock.now(), rateValidityMs);
      const [buying, selling] = await Promise.all([
        call({ operation: 'buy-price', path: paths.buyPrice, answer: answers.buyPriceAnswer }),
        call({ operation: 'sell-price', path: paths.sellPrice, answer: answers.sellPriceAnswer }),
      ]);
      if (buying.kind !== 'done') return buying;
      if (selling.kind !== 'done') return selling;
      const { value: buy } = buying;
      const { value: sell } = selling;
      const spotPaise = spotOf(buy, buy.current_price, sell.current_price);
      if (spotPaise === undefined) return unknown(UNREADABLE);
      return done({
        buyPaise: buy.current_price,
        sellPaise: sell.current_price,
        spotPaise,
        buyTaxBps: buy.applicable_tax,
        buyRateId: buy.rate_id,
        sellRateId: sell.rate_id,
        validUntil,
      });
    },

    async register({ phone, name, pincode, email }) {
      const answered = await call({
        operation: 'register',
        path: paths.users,
        body: { name, mobile_no: mobileNumber(phone), pin_code: pincode, email },
        answer: answers.userAnswer,
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
      return mapDone(
        await call({ operation: 'get-user', path, answer: answers.userAnswer }),
        toUser,
      );
    },

    ...createSafegoldTrades(calls, deps.clock),

    async invoiceLink({ providerTxId }) {
      const answered = await call({
        operation: 'invoice',
        path: paths.invoice(inPath(providerTxId)),
        answer: answers.invoiceAnswer,
        refusalCode: UNKNOWN_TRANSACTION,
      });
      return mapDone(answered, ({ link }) => link);
    },

    async listTransactions(providerUserId, page) {
      const answered = await call({
        operation: 'transactions',
        path: paths.transactions(inPath(providerUserId)),
        query: { page: String(page) },
        answer: answers.transactionsAnswer,
      });
      return mapDone(answered, ({ transactions, meta }) => ({
        transactions: transactions.map(toTransaction),
        hasMore: meta?.next !== undefined && meta.next !== null,
      }));
    },

    close: () => calls.close(),
  };
};
