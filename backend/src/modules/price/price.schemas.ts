import { z } from 'zod';
import { toSafePaise } from '../../money/index.ts';
import { exampleOf, plainText } from '../../platform/http/index.ts';
import type { LivePrice, PriceTick } from './price.types.ts';

const priceRanges = ['1d', '1w', '1m', '1y'] as const;
export type PriceRange = (typeof priceRanges)[number];

const pricePaise = z.int().positive();

export const priceView = z.object({
  buyPaise: pricePaise,
  sellPaise: pricePaise,
  spotPaise: pricePaise,
  currency: z.literal('INR'),
  unit: z.literal('GRAM'),
  source: z.enum(['PROVIDER', 'MANUAL']),
  asOf: z.iso.datetime(),
});
priceView.register(z.globalRegistry, {
  id: 'Price',
  description: 'The live price of a gram of gold.',
  examples: [
    {
      buyPaise: 1_453_000,
      sellPaise: 1_410_000,
      spotPaise: 1_431_500,
      currency: 'INR',
      unit: 'GRAM',
      source: 'PROVIDER',
      asOf: '2026-01-15T09:30:00.000Z',
    },
  ],
});

export const historyQuery = z.object({ range: z.enum(priceRanges).default('1d') });

const pointView = z.object({
  buyPaise: pricePaise,
  sellPaise: pricePaise,
  spotPaise: pricePaise,
  at: z.iso.datetime(),
});
pointView.register(z.globalRegistry, {
  id: 'PricePoint',
  description: 'The price of a gram of gold at a past time.',
  examples: [
    {
      buyPaise: 1_453_000,
      sellPaise: 1_410_000,
      spotPaise: 1_431_500,
      at: '2026-01-15T09:30:00.000Z',
    },
  ],
});

export const historyView = z.object({
  range: z.enum(priceRanges),
  items: z.array(pointView),
});
historyView.register(z.globalRegistry, {
  id: 'PriceHistory',
  description: 'Past prices over a range of time, newest first.',
  examples: [{ range: '1d', items: [exampleOf(pointView)] }],
});

/** The price of an override, at most ten lakh rupees per gram, which no price of gold exceeds. */
const overridePaise = pricePaise.max(100_000_000);

const spreadBps = z.int().min(0).max(2500);

/** The spread on the provider's price, in basis points. */
export const priceConfigBody = z.object({ buySpreadBps: spreadBps, sellSpreadBps: spreadBps });
priceConfigBody.register(z.globalRegistry, {
  id: 'PriceSpread',
  description: "The spread on the provider's price, in basis points.",
  examples: [{ buySpreadBps: 150, sellSpreadBps: 150 }],
});

export const overrideBody = z.object({
  buyPaise: overridePaise,
  sellPaise: overridePaise,
  spotPaise: overridePaise,
  reason: plainText(500),
});
overrideBody.register(z.globalRegistry, {
  id: 'OverridePriceRequest',
  examples: [
    {
      buyPaise: 1_453_000,
      sellPaise: 1_410_000,
      spotPaise: 1_431_500,
      reason: 'The feed is down.',
    },
  ],
});

export type PriceOverride = z.output<typeof overrideBody>;

/** Presents the price at which customers buy and sell. */
export const presentPrice = (price: LivePrice): z.output<typeof priceView> => ({
  buyPaise: toSafePaise(price.buyPaise),
  sellPaise: toSafePaise(price.sellPaise),
  spotPaise: toSafePaise(price.spotPaise),
  currency: 'INR',
  unit: 'GRAM',
  source: price.source,
  asOf: price.asOf.toISOString(),
});

/** Presents the provider's own price, without our spreads. */
export const presentProviderPrice = (price: LivePrice): z.output<typeof priceView> =>
  presentPrice({ ...price, buyPaise: price.providerBuyPaise, sellPaise: price.providerSellPaise });

/** Presents a tick of the feed. */
export const presentTick = ({ price, seq, stale }: PriceTick) => ({
  ...presentPrice(price),
  seq,
  ...(stale && { stale }),
});
