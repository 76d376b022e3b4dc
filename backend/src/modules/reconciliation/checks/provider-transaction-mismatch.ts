import { UNKNOWN_TRANSACTION } from '../../../adapters/gold-provider/port.ts';
import type { GoldProvider } from '../../../adapters/gold-provider/port.ts';
import { ZERO_GRAMS, formatGrams, type Grams } from '../../../money/index.ts';
import { askAboutRows, toFindings } from '../ask-about-rows.ts';
import { askEach, toAsked, type Asked } from '../ask-each.ts';
import { mergeFindings } from '../merge-findings.ts';
import type { Check, CheckContext } from '../reconciliation.types.ts';
import { isExpectedBalance, judgeTransaction, type ProviderWord } from './provider-books.rules.ts';
import {
  listBalances,
  listTransactions,
  type BalanceRow,
  type TransactionRow,
} from './provider-books.rows.ts';

/** A transaction that can't be: "there is none" is an answer. */
const nobodysTransaction = { type: 'BUY', providerTxId: '0' };

const askStatus = async (
  provider: GoldProvider,
  { type, providerTxId }: Pick<TransactionRow, 'type' | 'providerTxId'>,
): Promise<Asked<ProviderWord>> => {
  const question = { providerTxId };
  const status =
    type === 'SELL' ? await provider.sellStatus(question) : await provider.buyStatus(question);
  return toAsked(provider.code, status, {
    onDone: (value): ProviderWord => value,
    onRefused: (code) => (code === UNKNOWN_TRANSACTION ? 'NO_SUCH_TRANSACTION' : undefined),
  });
};

const askBalance = async (provider: GoldProvider, row: BalanceRow): Promise<Asked<Grams>> =>
  toAsked(provider.code, await provider.getUser(row.providerUserId), {
    onDone: (user) => user.goldBalanceGrams,
    // It looked, and has no such customer: nothing is held there.
    onRefused: () => ZERO_GRAMS,
  });

const judgeTransactions = (context: CheckContext) => {
  const { goldProvider, limits } = context;
  return askAboutRows(limits, {
    list: () => listTransactions(context),
    judge: judgeTransaction,
    ask: async (row) =>
      row.provider === goldProvider.code
        ? askStatus(goldProvider, row)
        : `there is no adapter of ${row.provider} to ask with`,
  });
};

const judgeBalances = (context: CheckContext) => {
  const { goldProvider, limits } = context;
  return askAboutRows(limits, {
    list: () => listBalances(context),
    ask: (row) => askBalance(goldProvider, row),
    judge: (row, atProvider) => (isExpectedBalance(row, atProvider) ? undefined : 'BALANCE'),
  });
};

/**
 * Holds the window's transactions, and the gold that its customers have at the provider, against
 * the provider's own books. A wrong transaction shows in the balance too: it is told once.
 */
export const providerTransactionMismatch: Check = {
  id: 'provider_transaction_mismatch',
  title: "The provider's books and ours disagree",
  severity: 'critical',
  asks: true,
  async run(context) {
    const { goldProvider, limits } = context;
    const transactions = await judgeTransactions(context);
    const found = toFindings(transactions, (word) => ({ atProvider: word }));
    // One that gives no answer is left alone.
    if (transactions.incomplete !== undefined) return found;
    const balances = await judgeBalances(context);
    if (transactions.total + balances.total === 0) {
      const probe = { items: [nobodysTransaction], total: 1 };
      const { incomplete } = await askEach(probe, limits, (row) => askStatus(goldProvider, row));
      return incomplete === undefined ? found : { ...found, incomplete };
    }
    const told = new Set(transactions.wrong.map(({ row }) => row.userId));
    const others = balances.wrong.filter(({ row }) => !told.has(row.userId));
    const more = toFindings({ ...balances, wrong: others }, (grams) => ({
      atProvider: formatGrams(grams),
    }));
    return mergeFindings(found, more);
  },
};
