import { endOfIstDate, startOfIstDate } from '../../platform/clock/ist.ts';
import { isUniqueViolation, lockText, selectOne, sql, type Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { formatGrams, gramsFromDatabase, paise, toSafePaise } from '../../money/index.ts';
import { registerTotals, type RegisterTotals } from '../registers/index.ts';
import { portalActor } from './accounting.types.ts';
import { canFreeze } from './sign-off-day.ts';
import { bookLock, findMonthEnd, insertMonthEnd, type MonthEndRow } from './month-ends.store.ts';
import { datesOf, findOpenBefore, listUnsignedDays } from './open-months.ts';
import type { DateRange } from './provider-days.read-model.ts';
import type { AccountingWriteDeps, PortalAuthor } from './put-statutory-parameter.ts';

/** The time limit in ms of the transaction that reads a whole month. */
const readMs = 60_000;

/** A value that differs between two sources. */
export interface Difference {
  readonly figure: string;
  readonly expected: number | string;
  readonly found: number | string;
}

const integerOf = (text: string): number => toSafePaise(paise(BigInt(text)));

/** Sums a month's orders of jewellery from their history and lines, without their invoices. */
const readProductProof = async (db: Db, { from, to }: DateRange) => {
  const row = await selectOne<Readonly<Record<'supplied' | 'gst' | 'returned', string>>>(
    db,
    sql`
      SELECT coalesce(sum(o.total_paise) FILTER (WHERE e.to_status = 'SHIPPED'), 0)::text
          AS supplied,
        coalesce(sum(l.gst) FILTER (WHERE e.to_status = 'SHIPPED'), 0)::text AS gst,
        coalesce(sum(o.total_paise) FILTER (WHERE e.to_status = 'RETURNED'), 0)::text AS returned
      FROM product_order_event e JOIN product_order o ON o.id = e.order_id
      CROSS JOIN LATERAL (
        SELECT sum(gst_paise) AS gst FROM product_order_line WHERE order_id = o.id) l
      WHERE e.to_status IN ('SHIPPED', 'RETURNED')
        AND e.at >= ${startOfIstDate(from)}::timestamptz
        AND e.at < ${endOfIstDate(to)}::timestamptz`,
  );
  invariant(row, 'sums are one row');
  return {
    suppliedPaise: integerOf(row.supplied),
    gstPaise: integerOf(row.gst),
    returnedPaise: integerOf(row.returned),
  };
};

/** Sums a month's gold and money from movements and payouts, without the figures of gold orders. */
const readProof = async (db: Db, { from, to }: DateRange) => {
  const [start, end] = [
    sql`${startOfIstDate(from)}::timestamptz`,
    sql`${endOfIstDate(to)}::timestamptz`,
  ];
  const row = await selectOne<Readonly<Record<'grams' | 'invested' | 'bought' | 'owed', string>>>(
    db,
    sql`
      SELECT coalesce(sum(grams), 0)::text AS grams,
        coalesce(sum(invested_paise), 0)::text AS invested,
        coalesce(sum(invested_paise) FILTER (WHERE kind = 'CREDIT' AND at >= ${start}), 0)::text
          AS bought,
        (SELECT coalesce(sum(p.amount_paise), 0)::text FROM gold_order o
          JOIN payout p ON p.order_id = o.id
          WHERE o.type = 'SELL' AND o.confirmed_at IS NOT NULL
            AND coalesce(o.confirmed_at, o.created_at) >= ${start}
            AND coalesce(o.confirmed_at, o.created_at) < ${end}) AS owed
      FROM holding_movement WHERE at < ${end}`,
  );
  invariant(row, 'sums are one row');
  return {
    closingGrams: formatGrams(gramsFromDatabase(row.grams)),
    closingInvestedPaise: integerOf(row.invested),
    boughtPaise: integerOf(row.bought),
    owedPaise: integerOf(row.owed),
  };
};

/** Compares a month's totals with the sums of other tables, and returns the differences. */
const listDifferences = async (
  db: Db,
  range: DateRange,
  { buys, sells, products, movements, holdings }: RegisterTotals,
): Promise<Difference[]> => {
  const proof = await readProof(db, range);
  const goods = await readProductProof(db, range);
  const pairs: readonly Difference[] = [
    { figure: 'buys.grams', expected: movements.creditedGrams, found: buys.grams },
    { figure: 'buys.amountPaise', expected: proof.boughtPaise, found: buys.amountPaise },
    {
      figure: 'buys.gstPaise',
      expected: buys.amountPaise - buys.goldValuePaise,
      found: buys.gstPaise,
    },
    { figure: 'sells.grams', expected: movements.debitedGrams, found: sells.grams },
    { figure: 'sells.proceedsPaise', expected: proof.owedPaise, found: sells.proceedsPaise },
    {
      figure: 'products.amountPaise',
      expected: goods.suppliedPaise,
      found: products.amountPaise,
    },
    { figure: 'products.gstPaise', expected: goods.gstPaise, found: products.gstPaise },
    {
      figure: 'products.returnedPaise',
      expected: goods.returnedPaise,
      found: products.returnedPaise,
    },
    { figure: 'holdings.closingGrams', expected: proof.closingGrams, found: holdings.closingGrams },
    {
      figure: 'holdings.closingInvestedPaise',
      expected: proof.closingInvestedPaise,
      found: holdings.closingInvestedPaise,
    },
  ];
  return pairs.filter(({ expected, found }) => expected !== found);
};

/** Reads a month's totals and their differences, on one snapshot of the database. */
export const readMonth = (
  { inTransaction }: Pick<AccountingWriteDeps, 'inTransaction'>,
  period: string,
): Promise<{ totals: RegisterTotals; differences: Difference[] }> =>
  inTransaction(
    async (tx) => {
      const range = datesOf(period);
      const totals = await registerTotals(tx, range);
      return { totals, differences: await listDifferences(tx, range, totals) };
    },
    { isolation: 'RepeatableRead', timeoutMs: readMs },
  );

const conflict = (message: string, details?: unknown): AppError =>
  new AppError('CONFLICT', { message, field: 'period', ...(details !== undefined && { details }) });

/** @throws AppError CONFLICT for a closed month, or while the month before it is open */
const requireClosable = async (db: Db, period: string): Promise<void> => {
  if ((await findMonthEnd(db, period)) !== undefined) {
    throw conflict('This month is already closed. Its totals never change.');
  }
  const before = await findOpenBefore(db, period);
  if (before === undefined) return;
  throw conflict('The month before is still open. Close it first.', { monthBefore: before });
};

/** @throws AppError CONFLICT while a day of the month is not signed off */
const requireSignedDays = async (db: Db, period: string): Promise<void> => {
  const unsignedDays = await listUnsignedDays(db, period);
  if (unsignedDays.length === 0) return;
  const message = 'Days of this month are not signed off. Sign off each of them first.';
  throw conflict(message, { unsignedDays });
};

/**
 * Closes a month. Compares its totals with its movements and payouts, and freezes them (contract:
 * accounting > Month end).
 * @throws AppError CONFLICT for a month that ended less than two minutes ago, is closed, follows an
 * open month, has days that are not signed off, or has totals that differ
 */
export const closeMonth = async (
  deps: AccountingWriteDeps,
  period: string,
  { principal, context }: PortalAuthor,
): Promise<MonthEndRow> => {
  const { inTransaction, clock, random, audit } = deps;
  const closedAt = clock.now();
  if (!canFreeze(endOfIstDate(datesOf(period).to), closedAt)) {
    throw conflict('This month is not over in India. Close it two minutes after its end.');
  }
  await requireClosable(deps.db, period);
  await requireSignedDays(deps.db, period);
  const { totals, differences } = await readMonth(deps, period);
  if (differences.length > 0) {
    throw conflict('Orders and movements of this month differ. Resolve that first.', differences);
  }
  try {
    return await inTransaction(async (tx) => {
      await lockText(tx, bookLock);
      await requireClosable(tx, period);
      const row = { id: random.uuid(), period, totals, closedBy: principal.portalUserId, closedAt };
      await insertMonthEnd(tx, row);
      await audit.record(tx, {
        action: 'accounting.month-end.close',
        ...portalActor(principal, context),
        target: { type: 'month_end_close', id: period },
        after: { period, totals: { ...totals } },
      });
      const closed = await findMonthEnd(tx, period);
      invariant(closed, 'a month that was closed is in the database');
      return closed;
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw conflict('This month is already closed. Its totals never change.');
  }
};
