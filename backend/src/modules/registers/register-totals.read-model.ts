import { sql, type Db, type Sql } from '../../platform/db/index.ts';
import { windowOf, type Period, isWithin, selectFigures } from './period-figures.ts';
import { readProductSales } from './product-totals.read-model.ts';
import type { Window } from './registers.types.ts';

const count = sql`count(*)`;
const countOf = (condition: Sql): Sql => sql`count(*) FILTER (WHERE ${condition})`;
const sumOf = (value: Sql, condition: Sql): Sql =>
  sql`coalesce(sum(${value}) FILTER (WHERE ${condition}), 0)`;

/** Sums the purchases that were allocated in the window. A later recovery does not change them. */
const readBuys = (db: Db, window: Window) =>
  selectFigures(
    db,
    {
      orders: count,
      grams: sql`sum(grams)`,
      amountPaise: sql`sum(amount_paise)`,
      goldValuePaise: sql`sum(gold_value_paise)`,
      gstPaise: sql`sum(gst_paise)`,
      cgstPaise: sql`sum(gst_paise / 2)`,
      sgstPaise: sql`sum(gst_paise - gst_paise / 2)`,
      roundingPaise: sql`sum(rounding_paise)`,
      providerAmountPaise: sql`sum(provider_amount_paise)`,
      providerDifferencePaise: sql`sum(amount_paise - provider_amount_paise)`,
    },
    sql`FROM gold_order WHERE type <> 'SELL' AND allocated_at IS NOT NULL
      AND ${isWithin(sql`coalesce(allocated_at, created_at)`, window)}`,
  );

/** Sums the sales that were confirmed in the window. */
const readSells = (db: Db, window: Window) =>
  selectFigures(
    db,
    {
      orders: count,
      grams: sql`sum(grams)`,
      proceedsPaise: sql`sum(proceeds_paise)`,
      withheldPaise: sql`sum(withheld_paise)`,
      providerAmountPaise: sql`sum(provider_amount_paise)`,
      providerDifferencePaise: sql`sum(provider_amount_paise - proceeds_paise)`,
    },
    sql`FROM gold_order WHERE type = 'SELL' AND confirmed_at IS NOT NULL
      AND ${isWithin(sql`coalesce(confirmed_at, created_at)`, window)}`,
  );

/** Sums the payments of the window. Payments in other currencies are only counted. */
const readPayments = async (db: Db, window: Window) => {
  const isRupees = sql`currency = 'INR'`;
  const captured = await selectFigures(
    db,
    {
      captured: countOf(isRupees),
      capturedPaise: sumOf(sql`amount_paise`, isRupees),
      capturedInOtherCurrencies: countOf(sql`NOT (${isRupees})`),
    },
    sql`FROM gateway_payment WHERE status IN ('CAPTURED', 'REFUNDED')
      AND ${isWithin(sql`learned_at`, window)}`,
  );
  const refunded = await selectFigures(
    db,
    { refunded: count, refundedPaise: sql`sum(amount_paise)` },
    sql`FROM gateway_payment WHERE status = 'REFUNDED' AND ${isRupees}
      AND ${isWithin(sql`refunded_at`, window)}`,
  );
  const reversed = await selectFigures(
    db,
    {
      refundsReportedPaise: sumOf(sql`amount_paise`, sql`kind = 'REFUND'`),
      disputesLostPaise: sumOf(sql`amount_paise`, sql`kind = 'DISPUTE'`),
    },
    sql`FROM payment_reversal WHERE ${isWithin(sql`learned_at`, window)}`,
  );
  return { ...captured, ...refunded, ...reversed };
};

/**
 * Sums payouts by the history of the sales, which is append-only. A later reversal therefore does not
 * change the figures of the day on which a payout was paid.
 */
const readPayouts = (db: Db, window: Window) => {
  const isPaid = sql`e.to_status = 'COMPLETED'`;
  const isReturned = sql`e.from_status = 'COMPLETED' AND e.to_status = 'CONFIRMED'`;
  return selectFigures(
    db,
    {
      paid: countOf(isPaid),
      paidPaise: sumOf(sql`p.amount_paise`, isPaid),
      returned: countOf(isReturned),
      returnedPaise: sumOf(sql`p.amount_paise`, isReturned),
    },
    sql`FROM gold_order_event e JOIN payout p ON p.order_id = e.order_id
      WHERE (${isPaid} OR ${isReturned}) AND ${isWithin(sql`e.at`, window)}`,
  );
};

const isOfKind = (kind: string): Sql => sql`kind = ${kind}`;

/** Sums the movements of the window by kind. All sums are positive. */
const readMovements = (db: Db, window: Window) =>
  selectFigures(
    db,
    {
      creditedGrams: sumOf(sql`grams`, isOfKind('CREDIT')),
      debitedGrams: sumOf(sql`-grams`, isOfKind('DEBIT')),
      forfeitedGrams: sumOf(sql`-grams`, isOfKind('FORFEITED')),
      recoveredGrams: sumOf(sql`-grams`, isOfKind('RECOVERED')),
    },
    sql`FROM holding_movement WHERE ${isWithin(sql`at`, window)}`,
  );

const isSince = (moment: Date | undefined): Sql =>
  moment === undefined ? sql`false` : sql`at >= ${moment}::timestamptz`;

/**
 * Reads the holdings of all customers at both ends of the window. Each is the current holding less
 * the movements since, so that only the movements since the start of the window are read.
 */
const readHoldings = (db: Db, { from, until }: Window) => {
  const [sinceStart, sinceEnd] = [from === undefined ? sql`true` : isSince(from), isSince(until)];
  return selectFigures(
    db,
    {
      openingGrams: sql`min(h.balance) - ${sumOf(sql`grams`, sinceStart)}`,
      closingGrams: sql`min(h.balance) - ${sumOf(sql`grams`, sinceEnd)}`,
      openingInvestedPaise: sql`min(h.invested) - ${sumOf(sql`invested_paise`, sinceStart)}`,
      closingInvestedPaise: sql`min(h.invested) - ${sumOf(sql`invested_paise`, sinceEnd)}`,
    },
    sql`FROM (SELECT coalesce(sum(balance), 0) AS balance,
          coalesce(sum(invested_paise), 0) AS invested FROM holding) AS h
      LEFT JOIN holding_movement ON ${sinceStart}`,
  );
};

/**
 * Returns the totals of a period of IST dates (contract: accounting > Summary). Each figure counts by
 * the moment of its event, which never changes. A past period therefore keeps its totals. The caller
 * must use a REPEATABLE READ transaction, so that all totals are of one snapshot.
 */
export const registerTotals = async (db: Db, period: Period) => {
  const window = windowOf(period);
  return {
    buys: await readBuys(db, window),
    sells: await readSells(db, window),
    payments: await readPayments(db, window),
    payouts: await readPayouts(db, window),
    products: await readProductSales(db, window),
    movements: await readMovements(db, window),
    holdings: await readHoldings(db, window),
  };
};

export type RegisterTotals = Awaited<ReturnType<typeof registerTotals>>;
