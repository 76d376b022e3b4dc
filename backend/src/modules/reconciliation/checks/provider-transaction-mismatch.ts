import {
  UNKNOWN_TRANSACTION,
  type GoldProvider,
  type ProviderTransactionStatus,
} from '../../../adapters/gold-provider/port.ts';
import { ZERO_GRAMS, formatGrams, gramsFromDatabase, type Grams } from '../../../money/index.ts';
import { addMs } from '../../../platform/clock/clock.ts';
import { sql } from '../../../platform/db/index.ts';
import { compareRows, toFindings } from '../compare-rows.ts';
import { fetchEach, toFetched, type Fetched } from '../fetch-each.ts';
import { mergeFindings } from '../findings.ts';
import type { Check, CheckContext } from '../reconciliation.types.ts';
import type { RowsRequest } from '../walk-rows.ts';
import { boughtLessSold, customersSince, isToHouse, ordersSince } from '../window.ts';

/**
 * The time in ms after its last change for which an open order counts as in progress. Until then, a
 * trade that only the provider has is not a finding.
 */
const underwayMs = 15 * 60_000;

/** A transaction of the provider that an order here names. */
export type TransactionRow = {
  readonly since: Date;
  readonly orderId: string;
  readonly userId: string;
  readonly type: string;
  readonly orderStatus: string;
  readonly manualReviewCode: string | null;
  readonly grams: string | null;
  readonly provider: string;
  readonly providerTxId: string;
  /**
   * True if the order names the transaction, or if its confirm succeeded. False if its confirm was
   * abandoned.
   */
  readonly isOwn: boolean;
  /**
   * True if, by our books, the customer has the gold of a purchase or has given up the gold of a
   * sale.
   */
  readonly isTraded: boolean;
  /** True if the outcome of its confirm is still unknown, so that a sweep polls it. */
  readonly isUndecided: boolean;
  readonly isUnderway: boolean;
};

/**
 * Lists the transactions of the window's sales and paid purchases, and those of every confirm of
 * the window's orders, even if the confirm was abandoned. An unpaid purchase has only the
 * transaction of its verify, which is no trade. A confirm with the transaction of another order is
 * left to `duplicate_provider_transaction`.
 */
const listTransactions = ({ read, now, from }: CheckContext, { after, upTo, limit }: RowsRequest) =>
  read<TransactionRow>(sql`
    WITH recent AS (${ordersSince(from)}),
    known AS (
      SELECT o.id AS order_id, o.provider, o.provider_tx_id
      FROM recent JOIN gold_order o ON o.id = recent.id
      WHERE o.provider_tx_id IS NOT NULL
        AND (o.type = 'SELL' OR o.paid_at IS NOT NULL OR o.allocated_at IS NOT NULL)
      UNION
      SELECT c.order_id, c.provider, c.provider_tx_id
      FROM recent JOIN provider_operation c ON c.order_id = recent.id
      WHERE c.operation IN ('buy-confirm', 'sell-confirm')
        AND NOT EXISTS (
          SELECT FROM gold_order other
          WHERE other.provider = c.provider AND other.provider_tx_id = c.provider_tx_id
            AND other.id <> c.order_id))
    SELECT o.created_at AS since, o.id AS "orderId", o.user_id AS "userId", o.type,
      o.status AS "orderStatus", o.manual_review_code AS "manualReviewCode",
      trim_scale(o.grams)::text AS grams, known.provider, known.provider_tx_id AS "providerTxId",
      (o.provider, o.provider_tx_id) IS NOT DISTINCT FROM (known.provider, known.provider_tx_id)
        OR EXISTS (
          SELECT FROM provider_operation c
          WHERE c.order_id = o.id AND c.provider_tx_id = known.provider_tx_id
            AND c.operation IN ('buy-confirm', 'sell-confirm') AND c.status = 'DONE') AS "isOwn",
      CASE o.type WHEN 'SELL' THEN o.status IN ('CONFIRMED', 'COMPLETED')
        ELSE o.allocated_at IS NOT NULL END AS "isTraded",
      EXISTS (
        SELECT FROM provider_operation c
        WHERE c.order_id = o.id AND c.provider_tx_id = known.provider_tx_id
          AND c.status IN ('INTENDED', 'UNKNOWN')) AS "isUndecided",
      o.updated_at > ${addMs(now, -underwayMs)}::timestamptz
        AND o.status IN ('PENDING', 'PAID', 'RETRY_PENDING', 'VERIFIED') AS "isUnderway"
    FROM (
      SELECT * FROM known
      WHERE known.order_id || ' ' || known.provider_tx_id > ${after}
        AND (${upTo ?? null}::text IS NULL
          OR known.order_id || ' ' || known.provider_tx_id <= ${upTo ?? null}::text)
      ORDER BY known.order_id || ' ' || known.provider_tx_id
      LIMIT ${limit}::int) AS known
    JOIN gold_order o ON o.id = known.order_id
    ORDER BY known.order_id || ' ' || known.provider_tx_id`);

/** A customer's account at the provider, with the balance by our own orders. */
type BalanceRow = {
  readonly since: Date;
  readonly userId: string;
  readonly providerUserId: string;
  /** The balance in grams as decimal text, as all grams of the row. */
  readonly expected: string;
  /** The part of the balance that belongs to the house, not to the customer. */
  readonly houseGrams: string;
  /**
   * The grams of purchases and sales with an unknown outcome, which the balance may or may not
   * contain.
   */
  readonly openBuys: string;
  readonly openSales: string;
};

/**
 * Selects the customers who share the provider's user with `u`. These are the current owner of a
 * phone number and its earlier, deleted owners.
 */
const sameAtProvider = sql`
  SELECT x.id FROM app_user x WHERE x.provider_user_id = u.provider_user_id`;

/**
 * Lists the window's customers who ever bought or sold gold. Forfeited or recovered gold, which
 * belongs to the house, stays on the customer's account at the provider and is counted separately.
 * A customer with a purchase of different grams than ordered is left out, since an operator reviews
 * it.
 */
const listBalances = ({ read, from }: CheckContext, { after, upTo, limit }: RowsRequest) =>
  read<BalanceRow>(sql`
    SELECT u.created_at AS since, u.id AS "userId", u.provider_user_id AS "providerUserId",
      traded.grams::text AS expected,
      trim_scale(-house.grams)::text AS "houseGrams", traded.open_buys::text AS "openBuys",
      traded.open_sells::text AS "openSales"
    FROM (${customersSince(from)}) AS recent JOIN app_user u ON u.id = recent.id
    CROSS JOIN LATERAL (
      SELECT ${boughtLessSold} AS grams,
        coalesce(sum(o.grams) FILTER (WHERE o.type <> 'SELL' AND o.allocated_at IS NULL AND (
          o.status IN ('PAID', 'RETRY_PENDING') OR undecided.found)), 0) AS open_buys,
        coalesce(sum(o.grams) FILTER (WHERE o.type = 'SELL' AND o.status = 'VERIFIED'), 0)
          AS open_sells,
        coalesce(bool_or(o.status = 'MANUAL_REVIEW'
          AND o.manual_review_code = 'GRAMS_MISMATCH'), false) AS is_unclear,
        count(*) FILTER (WHERE o.paid_at IS NOT NULL OR o.allocated_at IS NOT NULL
          OR o.type = 'SELL') AS trades
      FROM gold_order o
      CROSS JOIN LATERAL (
        SELECT EXISTS (
          SELECT FROM provider_operation c
          WHERE c.order_id = o.id AND c.status IN ('INTENDED', 'UNKNOWN')) AS found) AS undecided
      WHERE o.user_id IN (${sameAtProvider})) AS traded
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(m.grams), 0) AS grams FROM holding_movement m
      WHERE m.user_id IN (${sameAtProvider}) AND ${isToHouse}) AS house
    WHERE u.provider_user_id IS NOT NULL AND traded.trades > 0 AND NOT traded.is_unclear
      AND (${after} = '' OR u.id::text > ${after})
      AND (${upTo ?? null}::text IS NULL OR u.id::text <= ${upTo ?? null}::text)
    ORDER BY u.id::text
    LIMIT ${limit}::int`);

/**
 * The provider's status of a transaction. NO_SUCH_TRANSACTION means that the provider does not have
 * the transaction.
 */
export type ProviderStatus = ProviderTransactionStatus | 'NO_SUCH_TRANSACTION';

type TransactionProblem = 'TRADED_HERE_ONLY' | 'TRADED_THERE_ONLY';

/** Returns true while a sweep or a review already resolves the transaction. */
const isBeingResolved = (row: TransactionRow): boolean =>
  row.isUndecided ||
  row.isUnderway ||
  row.orderStatus === 'VERIFIED' ||
  (row.orderStatus === 'MANUAL_REVIEW' && row.manualReviewCode === 'GRAMS_MISMATCH');

/**
 * Compares a transaction with the provider's status. A transaction that is traded here must be
 * traded at the provider. A transaction that is traded at the provider must be traded here, or a
 * sweep or a review must be resolving it.
 */
export const findTransactionProblem = (
  row: TransactionRow,
  status: ProviderStatus,
): TransactionProblem | undefined => {
  // The provider has already debited the gold of a sale in progress, and does not undo the sale.
  const isTradedThere = status === 'SUCCESS' || (status === 'IN_PROGRESS' && row.type === 'SELL');
  if (row.isTraded && row.isOwn) return isTradedThere ? undefined : 'TRADED_HERE_ONLY';
  return isTradedThere && !isBeingResolved(row) ? 'TRADED_THERE_ONLY' : undefined;
};

/** Returns true if the provider's balance is the sum of our orders, with or without open orders. */
export const isExpectedBalance = (row: BalanceRow, atProvider: Grams): boolean => {
  const expected = gramsFromDatabase(row.expected);
  const minimum = expected - gramsFromDatabase(row.openSales);
  const maximum = expected + gramsFromDatabase(row.openBuys);
  return atProvider >= minimum && atProvider <= maximum;
};

/** A transaction id that can't exist. A provider that answers "not found" to it can be reached. */
const noSuchTransaction = { type: 'BUY', providerTxId: '0' };

const fetchStatus = async (
  provider: GoldProvider,
  { type, providerTxId }: Pick<TransactionRow, 'type' | 'providerTxId'>,
): Promise<Fetched<ProviderStatus>> => {
  const transaction = { providerTxId };
  const status =
    type === 'SELL'
      ? await provider.sellStatus(transaction)
      : await provider.buyStatus(transaction);
  return toFetched(provider.code, status, {
    onDone: (value): ProviderStatus => value,
    onRefused: (code) => (code === UNKNOWN_TRANSACTION ? 'NO_SUCH_TRANSACTION' : undefined),
  });
};

const fetchBalance = async (provider: GoldProvider, row: BalanceRow): Promise<Fetched<Grams>> =>
  toFetched(provider.code, await provider.getUser(row.providerUserId), {
    onDone: (user) => user.goldBalanceGrams,
    // The provider has no such customer, so it holds nothing for them.
    onRefused: () => ZERO_GRAMS,
  });

const compareTransactions = (context: CheckContext) => {
  const { goldProvider } = context;
  return compareRows<TransactionRow, ProviderStatus, TransactionProblem>(context, {
    kind: 'TRANSACTION',
    collaborator: goldProvider.code,
    list: (request) => listTransactions(context, request),
    keyOf: ({ orderId, providerTxId }) => `${orderId} ${providerTxId}`,
    findProblem: findTransactionProblem,
    isFinal: (row, status) => !isBeingResolved(row) && status !== 'IN_PROGRESS',
    fetchAnswer: async (row) =>
      row.provider === goldProvider.code
        ? fetchStatus(goldProvider, row)
        : `there is no adapter for ${row.provider}`,
  });
};

const compareBalances = (context: CheckContext) => {
  const { goldProvider } = context;
  return compareRows<BalanceRow, Grams, 'BALANCE'>(context, {
    kind: 'BALANCE',
    collaborator: goldProvider.code,
    list: (request) => listBalances(context, request),
    keyOf: ({ userId }) => userId,
    fetchAnswer: (row) => fetchBalance(goldProvider, row),
    findProblem: (row, atProvider) => (isExpectedBalance(row, atProvider) ? undefined : 'BALANCE'),
    isFinal: (row, atProvider) => gramsFromDatabase(row.expected) === atProvider,
  });
};

/**
 * Compares the transactions and the balances of the window's customers with the provider's books. A
 * wrong transaction also makes the balance wrong, so the balance of its customer is not reported.
 */
export const providerTransactionMismatch: Check = {
  id: 'provider_transaction_mismatch',
  title: "The provider's books and ours disagree",
  severity: 'critical',
  callsCollaborator: true,
  async run(context) {
    const { goldProvider, limits } = context;
    const transactions = await compareTransactions(context);
    const found = toFindings(transactions, (status) => ({ atProvider: status }));
    // A provider that did not respond gets no further request. A report that a request waits for,
    // which uses no agreements, also ends here once it has reached its limits.
    const hasReachedLimits =
      transactions.incomplete !== undefined && context.agreements === undefined;
    if (hasReachedLimits || transactions.isSilent) return found;
    const balances = await compareBalances(context);
    if (transactions.total + balances.total === 0) {
      const probe = { items: [noSuchTransaction], total: 1 };
      const { incomplete } = await fetchEach(probe, limits, (row) =>
        fetchStatus(goldProvider, row),
      );
      return incomplete === undefined ? found : { ...found, incomplete };
    }
    const reported = new Set(transactions.mismatches.map(({ row }) => row.userId));
    const mismatches = balances.mismatches.filter(({ row }) => !reported.has(row.userId));
    const wrongBalances = toFindings({ ...balances, mismatches }, (grams) => ({
      atProvider: formatGrams(grams),
    }));
    return mergeFindings(found, wrongBalances);
  },
};
