import { mapDone } from '../../../platform/outcome/outcome.ts';
import type { z } from 'zod';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { UNKNOWN_TRANSACTION } from '../port.ts';
import type { GoldProvider, ProviderTransaction } from '../port.ts';
import { createSafegoldCalls } from './create-safegold-calls.ts';
import { createSafegoldPrice } from './create-safegold-price.ts';
import { createSafegoldTrades } from './create-safegold-trades.ts';
import { createSafegoldUsers } from './create-safegold-users.ts';
import type { SafegoldConfig } from './safegold.config.ts';
import { paths, safegoldRules } from './safegold.facts.ts';
import { invoiceAnswer, transactionsAnswer } from './safegold.schemas.ts';

const inPath = encodeURIComponent;

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
