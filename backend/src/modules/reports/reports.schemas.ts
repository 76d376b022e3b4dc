import { z } from 'zod';
import { formatGrams, toSafePaise, type Paise } from '../../money/index.ts';
import { wholeNumber } from '../../platform/http/index.ts';
import { presentPrice, priceView } from '../price/index.ts';
import type { Aum, Overview } from './make-reports.ts';
import type { DayOf } from './reports.types.ts';

const count = z.int().min(0);
const amount = z.int().min(0);
const weight = z.string().regex(/^\d+(\.\d+)?$/u);
const date = z.iso.date();
const daysOf = wholeNumber(1, 366, 30).describe('Days of the IST calendar; the last is today.');

export const daysQuery = z.object({ days: daysOf });

const valuePaise = amount
  .nullable()
  .describe('At the live sell price; null while nobody can say it.');
const price = priceView.nullable().describe('Null while the price feed is down.');

export const overviewView = z.object({
  users: z.object({ total: count, new24h: count, blocked: count }),
  kyc: z.object({ submitted: count }),
  gold: z.object({ grams: weight, valuePaise }),
  gmvPaise: z.object({ today: amount, last7d: amount, last30d: amount }),
  orders: z.object({ manualReview: count, retryPending: count }),
  payouts: z.object({ pending: count, pendingPaise: amount, processing: count }),
  price,
});
overviewView.register(z.globalRegistry, {
  id: 'DashboardOverview',
  description: 'Headline figures of the moment.',
});

export const gmvView = z.object({
  days: count,
  items: z.array(z.object({ date, gmvPaise: amount })),
});
gmvView.register(z.globalRegistry, {
  id: 'GmvSeries',
  description: 'Gross merchandise value of each IST day, oldest first.',
});

export const userGrowthView = z.object({
  days: count,
  items: z.array(z.object({ date, users: count })),
});
userGrowthView.register(z.globalRegistry, {
  id: 'UserGrowthSeries',
  description: 'Accounts opened on each IST day, oldest first.',
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
  description: 'The gold held for all customers at one moment.',
});

const valued = ({ live, valuePaise: value }: Pick<Aum, 'live' | 'valuePaise'>) => ({
  valuePaise: value === undefined ? null : toSafePaise(value),
  price: live === undefined ? null : presentPrice(live),
});

export const presentOverview = ({ totals, open, new24h, gmv, ...rest }: Overview) => {
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
