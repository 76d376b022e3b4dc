import { noSql, sql, type Sql } from '../../platform/db/index.ts';
import { isUuid } from '../../platform/ids/random.ts';
import { count, date, noJoins, text, time } from './columns.ts';
import type { Column, Register } from './registers.types.ts';

/* The registers without trades. Other routes show them as lists, so they are only used for files. */

const anyStatus = (): Sql => sql`true`;
const statuses = ['ANY'] as const;
const isId = (q: string): Sql => (isUuid(q) ? sql`t.id = ${q}::uuid` : sql`false`);

/** Creates a column of an IST date that is stored as a date. */
const day = (name: string, value: Sql): Column => text(name, value);

/** Decisions on questions of tax and accounting, by the day on which they were recorded. */
export const policiesRegister: Register = {
  name: 'policy-determinations',
  permission: 'gold.policy.read',
  summary: 'Decisions on tax and accounting questions',
  statuses,
  table: 'policy_determination',
  alias: 't',
  moment: sql`t.created_at`,
  key: sql`t.id`,
  figures: noJoins,
  lookups: noSql,
  columns: [
    date('date', sql`t.created_at`),
    text('id', sql`t.id`),
    text('topic', sql`t.topic`),
    text('determination', sql`t.determination`),
    text('basis', sql`t.basis`),
    text('reference', sql`t.reference`),
    day('effectiveFrom', sql`t.effective_from`),
    text('createdBy', sql`t.created_by`),
    time('createdAt', sql`t.created_at`),
  ],
  isOfStatus: anyStatus,
  isFoundBy: (q) => sql`(t.topic = ${q} OR ${isId(q)})`,
};

/** Statutory parameters, by the day on which they were recorded. */
export const statutoryRegister: Register = {
  name: 'statutory-parameters',
  permission: 'gold.statutory.read',
  summary: 'Statutory parameters',
  statuses,
  table: 'statutory_parameter',
  alias: 't',
  moment: sql`t.created_at`,
  key: sql`t.id`,
  figures: noJoins,
  lookups: noSql,
  columns: [
    date('date', sql`t.created_at`),
    text('id', sql`t.id`),
    text('key', sql`t.key`),
    text('value', sql`t.value`),
    day('effectiveFrom', sql`t.effective_from`),
    text('note', sql`t.note`),
    text('createdBy', sql`t.created_by`),
    time('createdAt', sql`t.created_at`),
  ],
  isOfStatus: anyStatus,
  isFoundBy: (q) => sql`(t.key = ${q} OR ${isId(q)})`,
};

const figure = (create: (name: string, value: Sql) => Column, group: string, name: string) =>
  create(
    `${group}${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    sql`(t.totals -> ${group}::text ->> ${name}::text)::numeric`,
  );
const paiseColumn = (name: string, value: Sql): Column => ({
  name,
  kind: 'money',
  value,
  isSummed: false,
});
const gramsColumn = (name: string, value: Sql): Column => ({
  name,
  kind: 'grams',
  value,
  isSummed: false,
});

/** Frozen totals of closed and reopened months, by the day of the close. */
export const monthEndsRegister: Register = {
  name: 'month-end-close',
  permission: 'gold.month_end.read',
  summary: 'Closed months',
  statuses,
  table: 'month_end_close',
  alias: 't',
  moment: sql`t.closed_at`,
  key: sql`t.id`,
  figures: noJoins,
  lookups: sql`LEFT JOIN month_end_reopening r ON r.close_id = t.id`,
  columns: [
    date('date', sql`t.closed_at`),
    text('period', sql`t.period`),
    count('revision', sql`t.revision`),
    text('closedBy', sql`t.closed_by`),
    time('closedAt', sql`t.closed_at`),
    time('reopenedAt', sql`r.reopened_at`),
    figure(count, 'buys', 'orders'),
    figure(gramsColumn, 'buys', 'grams'),
    figure(paiseColumn, 'buys', 'amountPaise'),
    figure(paiseColumn, 'buys', 'goldValuePaise'),
    figure(paiseColumn, 'buys', 'gstPaise'),
    figure(paiseColumn, 'buys', 'cgstPaise'),
    figure(paiseColumn, 'buys', 'sgstPaise'),
    figure(count, 'sells', 'orders'),
    figure(gramsColumn, 'sells', 'grams'),
    figure(paiseColumn, 'sells', 'proceedsPaise'),
    figure(paiseColumn, 'payments', 'capturedPaise'),
    figure(paiseColumn, 'payments', 'refundedPaise'),
    figure(paiseColumn, 'payouts', 'paidPaise'),
    figure(paiseColumn, 'payouts', 'returnedPaise'),
    figure(count, 'products', 'orders'),
    figure(paiseColumn, 'products', 'amountPaise'),
    figure(paiseColumn, 'products', 'gstPaise'),
    figure(paiseColumn, 'products', 'cgstPaise'),
    figure(paiseColumn, 'products', 'sgstPaise'),
    figure(paiseColumn, 'products', 'returnedPaise'),
    figure(paiseColumn, 'products', 'returnedGstPaise'),
    figure(paiseColumn, 'products', 'receivedPaise'),
    figure(paiseColumn, 'products', 'closingOutstandingPaise'),
    figure(gramsColumn, 'holdings', 'closingGrams'),
    figure(paiseColumn, 'holdings', 'closingInvestedPaise'),
  ],
  isOfStatus: anyStatus,
  isFoundBy: (q) => sql`(t.period = ${q} OR ${isId(q)})`,
};
