import { z } from 'zod';
import { istDay, pageQuery } from '../../platform/http/index.ts';
import type { Column, ColumnKind, Register } from './registers.types.ts';

const periodFields = {
  from: istDay
    .describe(`${istDay.description} The first day of the period. Absent: no lower limit.`)
    .optional(),
  to: istDay
    .describe(`${istDay.description} The last day of the period. Absent: no upper limit.`)
    .optional(),
};

/** Returns true if `from` is not after `to`. */
export const isInOrder = ({
  from,
  to,
}: {
  from?: string | undefined;
  to?: string | undefined;
}): boolean => from === undefined || to === undefined || from <= to;
export const outOfOrder = { path: ['from'], message: 'must not be after to' };

export const periodQuery = z.object(periodFields).refine(isInOrder, outOfOrder);

const fileFormats = ['csv', 'xlsx'] as const;
export type FileFormat = (typeof fileFormats)[number];

/** The format of a response. JSON is one page, and a file has all rows that match the filter. */
const formatField = z.enum(['json', ...fileFormats]).default('json');

/** The parameters that all registers share. */
export const registerFields = { ...periodFields, format: formatField };

export const registerQueryOf = ({ statuses }: Register) =>
  pageQuery
    .extend({
      ...registerFields,
      status: z.enum(statuses).optional(),
      q: z.string().trim().min(1).max(128).optional(),
    })
    .refine(isInOrder, outOfOrder);

export type RegisterQuery = z.output<ReturnType<typeof registerQueryOf>>;

/** Returns true if the unparsed query requests a file. */
export const asksForFile = (query: unknown): boolean =>
  typeof query === 'object' &&
  query !== null &&
  'format' in query &&
  fileFormats.some((format) => format === query.format);

const gramsText = z.string().regex(/^-?\d{1,20}\.\d{4,8}$/u);
const schemas: Readonly<Record<ColumnKind, z.ZodType>> = {
  text: z.string(),
  name: z.string(),
  date: z.iso.date(),
  time: z.iso.datetime(),
  money: z.int(),
  grams: gramsText,
  count: z.int(),
};

const rowOf = (columns: readonly Column[]) =>
  z.strictObject(
    Object.fromEntries(columns.map(({ name, kind }) => [name, schemas[kind].nullable()])),
  );

/** A page of a register, with the sums of its whole filter. */
export const registerPageOf = ({ columns }: Register) =>
  z.object({
    items: z.array(rowOf(columns)),
    total: z.int().min(0),
    page: z.int().min(1),
    limit: z.int().min(1).max(100),
    totals: rowOf(columns.filter(({ isSummed }) => isSummed)),
  });

const integers = (...names: readonly string[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, z.int()])));
const weights = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, gramsText]));

const provider = ['providerAmountPaise', 'providerDifferencePaise'] as const;

/** The totals of a period, as `registerTotals` returns them. */
export const summaryView = z.object({
  from: z.string().nullable(),
  to: z.string().nullable(),
  buys: integers(
    'orders',
    'amountPaise',
    'goldValuePaise',
    'gstPaise',
    'cgstPaise',
    'sgstPaise',
    'roundingPaise',
    ...provider,
  ).extend(weights('grams')),
  sells: integers('orders', 'proceedsPaise', 'withheldPaise', ...provider).extend(weights('grams')),
  payments: integers(
    'captured',
    'capturedPaise',
    'capturedInOtherCurrencies',
    'refunded',
    'refundedPaise',
    'refundsReportedPaise',
    'disputesLostPaise',
  ),
  payouts: integers('paid', 'paidPaise', 'returned', 'returnedPaise'),
  movements: z.object(weights('creditedGrams', 'debitedGrams', 'forfeitedGrams', 'recoveredGrams')),
  products: integers(
    'orders',
    'itemsPaise',
    'gstPaise',
    'cgstPaise',
    'sgstPaise',
    'deliveryPaise',
    'amountPaise',
    'returned',
    'returnedPaise',
    'returnedGstPaise',
    'returnedCgstPaise',
    'returnedSgstPaise',
    'receivedPaise',
    'closingOutstandingPaise',
    'closingRefundablePaise',
  ),
  holdings: integers('openingInvestedPaise', 'closingInvestedPaise').extend(
    weights('openingGrams', 'closingGrams'),
  ),
});
