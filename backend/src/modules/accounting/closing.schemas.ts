import { z } from 'zod';
import { istDay, istMonth, pageOf, pageQuery, plainText } from '../../platform/http/index.ts';
import { isInOrder, outOfOrder, registerFields } from '../registers/index.ts';
import type { Difference } from './close-month.ts';
import type { MonthEndRow } from './month-ends.store.ts';
import type { OpenMonth } from './open-months.ts';
import { postingRefusals } from './posting-gate.ts';
import type { SignOffRow } from './sign-off-day.ts';

export const daysQuery = pageQuery.extend({
  from: istDay.optional(),
  to: istDay.optional(),
  format: registerFields.format,
  status: z.enum(['OPEN', 'SIGNED']).optional(),
});
export const monthsQuery = pageQuery.extend(registerFields).refine(isInOrder, outOfOrder);
export const dateParams = z.object({ date: istDay });
export const periodParams = z.object({ period: istMonth });

const side = z.object({
  buys: z.int(),
  boughtGrams: z.string(),
  boughtPaise: z.int(),
  sells: z.int(),
  soldGrams: z.string(),
  soldPaise: z.int(),
});
const providerFigures = z.object({
  orders: side,
  provider: side,
  differences: side,
  house: z.object({
    forfeitedGrams: z.string(),
    recoveredGrams: z.string(),
    priceDifferencePaise: z.int(),
  }),
});

const person = z.object({ id: z.uuid(), email: z.string() });

export const signOffView = z.object({
  date: z.iso.date(),
  totals: providerFigures,
  signedBy: person,
  signedAt: z.iso.datetime(),
});

/** The current figures of a day. `signedOff` has the figures that its sign-off froze. */
const dayView = providerFigures.extend({
  date: z.iso.date(),
  signedOff: signOffView.omit({ date: true }).nullable(),
});
export const daysPage = pageOf(dayView).extend({ totals: providerFigures });

export const presentSignOff = ({ date, totals, signer, signedAt }: SignOffRow) => ({
  date: date.toISOString().slice(0, 10),
  totals: providerFigures.parse(totals),
  signedBy: signer,
  signedAt: signedAt.toISOString(),
});

const totalsView = z.record(z.string(), z.record(z.string(), z.union([z.int(), z.string()])));
type Totals = z.output<typeof totalsView>;
const differenceView = z.object({
  figure: z.string(),
  expected: z.union([z.int(), z.string()]),
  found: z.union([z.int(), z.string()]),
});

const closedMonthView = z.object({
  period: z.string(),
  closed: z.literal(true),
  totals: totalsView,
  closedBy: person,
  closedAt: z.iso.datetime(),
});
export const monthsPage = pageOf(closedMonthView);

/** A month that was just closed. Its totals are not posted, and `code` is the reason. */
export const monthCloseView = closedMonthView.extend({
  posting: z.object({ posted: z.literal(false), code: z.enum(postingRefusals) }),
});

/** The totals that an earlier close of a month froze, and the reason why it was reopened. */
const reopenedView = closedMonthView.omit({ closed: true, period: true }).extend({
  revision: z.int().min(1),
  reopenedBy: person,
  reopenedAt: z.iso.datetime(),
  reason: z.string(),
});

export const reopenBody = z.object({ reason: plainText(2000) });

export const openMonthsView = z.object({
  items: z.array(
    z.object({
      period: z.string(),
      canClose: z.boolean(),
      isOver: z.boolean(),
      waitsFor: z
        .string()
        .nullable()
        .describe(
          'The earlier month that must be closed first, such as 2025-12. Null if there is none.',
        ),
      unsignedDays: z.array(z.iso.date()),
    }),
  ),
});

/**
 * A closed or an open month. For a closed month, `differences` compares its frozen totals with the
 * current books. For an open month, it compares the books with the movements and payouts.
 */
export const monthView = closedMonthView.extend({
  closed: z.boolean(),
  closedBy: person.nullable(),
  closedAt: z.iso.datetime().nullable(),
  differences: z.array(differenceView),
  reopened: z.array(reopenedView),
});

export const presentClosedMonth = ({ period, totals, closer, closedAt }: MonthEndRow) => ({
  period,
  closed: true as const,
  totals: totalsView.parse(totals),
  closedBy: closer,
  closedAt: closedAt.toISOString(),
});

export const presentReopened = (rows: readonly MonthEndRow[]) =>
  rows.flatMap(({ totals, closer, closedAt, revision, reopening }) =>
    reopening === null
      ? []
      : [
          {
            revision,
            totals: totalsView.parse(totals),
            closedBy: closer,
            closedAt: closedAt.toISOString(),
            reopenedBy: reopening.reopener,
            reopenedAt: reopening.reopenedAt.toISOString(),
            reason: reopening.reason,
          },
        ],
  );

export const presentOpenMonth = (month: OpenMonth) => ({
  ...month,
  unsignedDays: [...month.unsignedDays],
  canClose: month.isOver && month.waitsFor === null && month.unsignedDays.length === 0,
});

/** Compares frozen totals with the current ones, figure by figure. */
export const compareTotals = (frozen: Totals, now: Totals): Difference[] =>
  Object.entries(frozen).flatMap(([group, figures]) =>
    Object.entries(figures).flatMap(([name, expected]) => {
      const found = now[group]?.[name] ?? 0;
      return found === expected ? [] : [{ figure: `${group}.${name}`, expected, found }];
    }),
  );
