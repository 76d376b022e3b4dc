import { z } from 'zod';
import { formatGrams, toSafePaise, type Paise } from '../../money/index.ts';
import { exampleOf, wholeNumber } from '../../platform/http/index.ts';
import { presentPrice, priceView } from '../price/index.ts';
import { attentionKinds, linkOf } from './attention.read-model.ts';
import type { Aum, Overview } from './make-reports.ts';
import type { DayOf } from './reports.types.ts';

const count = z.int().min(0);
const amount = z.int().min(0);
const weight = z.string().regex(/^\d+(\.\d+)?$/u);
const date = z.iso.date();
const daysOf = wholeNumber(1, 366, 30).describe('The number of IST days. The last day is today.');

export const daysQuery = z.object({ days: daysOf });

const valuePaise = amount
  .nullable()
  .describe('The value in paise at the live sell price. Null while the price feed is down.');
const price = priceView.nullable().describe('The live price. Null while the price feed is down.');

export const overviewView = z.object({
  users: z.object({ total: count, new24h: count, blocked: count }),
  kyc: z.object({ submitted: count }),
  gold: z.object({ grams: weight, valuePaise }),
  gmvPaise: z.object({ today: amount, last7d: amount, last30d: amount }),
  orders: z.object({ manualReview: count, retryPending: count }),
  payouts: z.object({ pending: count, pendingPaise: amount, processing: count }),
  attention: z
    .array(
      z.object({
        kind: z.enum(attentionKinds),
        count: z.int().min(1),
        oldestAt: z.iso.datetime(),
        link: z.string().describe('The path and query of the list that contains the entries.'),
      }),
    )
    .describe('The kinds of entries that need an operator. A kind without entries is absent.'),
  price,
});
overviewView.register(z.globalRegistry, {
  id: 'DashboardOverview',
  description: 'The current headline figures.',
  examples: [
    {
      users: { total: 1200, new24h: 14, blocked: 2 },
      kyc: { submitted: 3 },
      gold: { grams: '842.1350', valuePaise: 1_187_410_350 },
      gmvPaise: { today: 5_200_000, last7d: 31_400_000, last30d: 128_000_000 },
      orders: { manualReview: 1, retryPending: 0 },
      payouts: { pending: 2, pendingPaise: 141_000, processing: 1 },
      attention: [
        {
          kind: 'payout_failed',
          count: 1,
          oldestAt: '2026-01-15T09:30:00.000Z',
          link: '/payouts?status=FAILED',
        },
      ],
      price: exampleOf(priceView),
    },
  ],
});

export const gmvView = z.object({
  days: count,
  items: z.array(z.object({ date, gmvPaise: amount })),
});
gmvView.register(z.globalRegistry, {
  id: 'GmvSeries',
  description: 'Gross merchandise value of each IST day, oldest first.',
  examples: [
    {
      days: 2,
      items: [
        { date: '2026-01-14', gmvPaise: 4_800_000 },
        { date: '2026-01-15', gmvPaise: 5_200_000 },
      ],
    },
  ],
});

export const userGrowthView = z.object({
  days: count,
  items: z.array(z.object({ date, users: count })),
});
userGrowthView.register(z.globalRegistry, {
  id: 'UserGrowthSeries',
  description: 'Accounts opened on each IST day, oldest first.',
  examples: [
    {
      days: 2,
      items: [
        { date: '2026-01-14', users: 11 },
        { date: '2026-01-15', users: 14 },
      ],
    },
  ],
});

export const aumView = z.object({
  asOf: z.iso.datetime(),
  grams: weight,
  reservedGrams: weight,
  investedPaise: amount,
  valuePaise,
  customersWithGold: count,
  price,
});
aumView.register(z.globalRegistry, {
  id: 'AssetsUnderManagement',
  description: 'The gold held for all customers at one time.',
  examples: [
    {
      asOf: '2026-01-15T09:30:00.000Z',
      grams: '842.1350',
      reservedGrams: '0.0500',
      investedPaise: 1_150_000_000,
      valuePaise: 1_187_410_350,
      customersWithGold: 870,
      price: exampleOf(priceView),
    },
  ],
});

const valued = ({ live, valuePaise: value }: Pick<Aum, 'live' | 'valuePaise'>) => ({
  valuePaise: value === undefined ? null : toSafePaise(value),
  price: live === undefined ? null : presentPrice(live),
});

export const presentOverview = ({ totals, open, attention, new24h, gmv, ...rest }: Overview) => {
  const { valuePaise: value, price: shown } = valued(rest);
  return {
    users: { total: totals.users, new24h, blocked: totals.blockedUsers },
    kyc: { submitted: open.kycSubmitted },
    gold: { grams: formatGrams(totals.grams), valuePaise: value },
    gmvPaise: {
      today: toSafePaise(gmv.today),
      last7d: toSafePaise(gmv.last7d),
      last30d: toSafePaise(gmv.last30d),
    },
    orders: { manualReview: open.manualReview, retryPending: open.retryPending },
    payouts: {
      pending: open.payoutsPending,
      pendingPaise: toSafePaise(open.payoutsPendingPaise),
      processing: open.payoutsProcessing,
    },
    attention: attention.map(({ kind, count: waiting, oldestAt }) => ({
      kind,
      count: waiting,
      oldestAt: oldestAt.toISOString(),
      link: linkOf(kind),
    })),
    price: shown,
  };
};

export const presentGmv = (series: readonly DayOf<Paise>[]) => ({
  days: series.length,
  items: series.map(({ date: day, value }) => ({ date: day, gmvPaise: toSafePaise(value) })),
});

export const presentUserGrowth = (series: readonly DayOf<number>[]) => ({
  days: series.length,
  items: series.map(({ date: day, value }) => ({ date: day, users: value })),
});

export const presentAum = ({ asOf, totals, ...rest }: Aum) => ({
  asOf: asOf.toISOString(),
  grams: formatGrams(totals.grams),
  reservedGrams: formatGrams(totals.reserved),
  investedPaise: toSafePaise(totals.investedPaise),
  customersWithGold: totals.holders,
  ...valued(rest),
});
