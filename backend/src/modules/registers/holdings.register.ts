import { sql, type Sql } from '../../platform/db/index.ts';
import { isUuid } from '../../platform/ids/random.ts';
import { grams, money, personName, text, time } from './columns.ts';
import type { Register, Window } from './registers.types.ts';

const isFrom = ({ from }: Window): Sql =>
  from === undefined ? sql`true` : sql`m.at >= ${from}::timestamptz`;
const isAfter = ({ until }: Window): Sql =>
  until === undefined ? sql`false` : sql`m.at >= ${until}::timestamptz`;

/**
 * Sums a customer's movements from the start of the window (`since`), after its end (`after`), and
 * within it by kind. Only the customer's own movements are read.
 */
const movementsOf = (window: Window): Sql => {
  const [after, during] = [isAfter(window), sql`NOT (${isAfter(window)})`];
  const sumOf = (kind: string): Sql => sql`
    coalesce(sum(abs(m.grams)) FILTER (WHERE ${during} AND m.kind = ${kind}), 0)`;
  return sql`
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(m.grams), 0) AS since,
        coalesce(sum(m.grams) FILTER (WHERE ${after}), 0) AS after,
        coalesce(sum(m.invested_paise), 0) AS invested_since,
        coalesce(sum(m.invested_paise) FILTER (WHERE ${after}), 0) AS invested_after,
        ${sumOf('CREDIT')} AS credited, ${sumOf('DEBIT')} AS debited,
        ${sumOf('FORFEITED')} AS forfeited, ${sumOf('RECOVERED')} AS recovered
      FROM holding_movement m WHERE m.user_id = h.user_id AND ${isFrom(window)}) AS moved`;
};

/** Selects the grams that a customer held at the end of the window. */
const closingGrams = (window: Window): Sql =>
  window.until === undefined
    ? sql`h.balance`
    : sql`h.balance - coalesce((SELECT sum(m.grams) FROM holding_movement m
        WHERE m.user_id = h.user_id AND ${isAfter(window)}), 0)`;

/** The holdings of customers at both ends of a period, newest customers first. */
export const holdingsRegister: Register = {
  name: 'holdings',
  permission: 'gold.holdings.read',
  summary: 'Holdings of each customer at both ends of a period, with the movements in it',
  statuses: ['HELD', 'EMPTY'],
  table: 'holding',
  alias: 'h',
  key: sql`h.user_id`,
  figures: movementsOf,
  lookups: sql`LEFT JOIN app_user u ON u.id = h.user_id`,
  columns: [
    text('customerId', sql`h.user_id`),
    personName('customerName', sql`u.full_name`),
    text('status', sql`CASE WHEN h.balance - moved.after > 0 THEN 'HELD' ELSE 'EMPTY' END`),
    grams('openingGrams', sql`h.balance - moved.since`),
    grams('creditedGrams', sql`moved.credited`),
    grams('debitedGrams', sql`moved.debited`),
    grams('forfeitedGrams', sql`moved.forfeited`),
    grams('recoveredGrams', sql`moved.recovered`),
    grams('closingGrams', sql`h.balance - moved.after`),
    grams('reservedGrams', sql`h.reserved`),
    money('openingInvestedPaise', sql`h.invested_paise - moved.invested_since`),
    money('closingInvestedPaise', sql`h.invested_paise - moved.invested_after`),
    time('updatedAt', sql`h.updated_at`),
  ],
  isOfStatus: (status, window) =>
    status === 'HELD' ? sql`${closingGrams(window)} > 0` : sql`${closingGrams(window)} <= 0`,
  isFoundBy: (q) => (isUuid(q) ? sql`h.user_id = ${q}::uuid` : sql`false`),
};
