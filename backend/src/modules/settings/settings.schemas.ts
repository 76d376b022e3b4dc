import { z } from 'zod';
import { fromSafePaise, toSafePaise } from '../../money/index.ts';
import { limitNames, type Limits } from './settings.types.ts';

/** Bounds every limit by 100 crore rupees, which is beyond any sensible limit and a safe integer. */
const maxLimitPaise = 100_000_000_000;

const paiseOf = (min: number) => z.int().min(min).max(maxLimitPaise);

const limitsShape = z.object({
  minBuyPaise: paiseOf(1),
  maxBuyPaise: paiseOf(1),
  dailyBuyPaise: paiseOf(1),
  minSellPaise: paiseOf(1),
  maxSellPaise: paiseOf(1),
  minSipPaise: paiseOf(1000),
  maxSipPaise: paiseOf(1),
  deliveryFeePaise: paiseOf(0),
  freeDeliveryFromPaise: paiseOf(0),
  mandateMaxPaise: paiseOf(1),
  maxOpenDeliveryPaise: paiseOf(0),
});
const usualLimits = {
  minBuyPaise: 1000,
  maxBuyPaise: 20_000_000,
  dailyBuyPaise: 50_000_000,
  minSellPaise: 1000,
  maxSellPaise: 50_000_000,
  minSipPaise: 1000,
  maxSipPaise: 10_000_000,
  deliveryFeePaise: 9900,
  freeDeliveryFromPaise: 500_000,
  mandateMaxPaise: 1_500_000,
  maxOpenDeliveryPaise: 100_000_000,
};
limitsShape.register(z.globalRegistry, {
  id: 'Limits',
  description: 'The limits of amounts, in paise.',
  examples: [usualLimits],
});

const ranges = [
  ['minBuyPaise', 'maxBuyPaise'],
  ['minSellPaise', 'maxSellPaise'],
  ['minSipPaise', 'maxSipPaise'],
] as const;

/**
 * Accepts all limits. Each minimum must be at most its maximum. Two limits may be absent, because
 * clients of the first versions do not know them. They then stay unchanged.
 */
export const limitsBody = limitsShape
  .partial({ mandateMaxPaise: true, maxOpenDeliveryPaise: true })
  .superRefine((limits, context) => {
    for (const [low, high] of ranges) {
      if (limits[low] > limits[high]) {
        const message = `must be at most ${high}`;
        context.addIssue({ code: 'custom', path: [low], message });
      }
    }
  });

limitsBody.register(z.globalRegistry, {
  id: 'LimitsUpdate',
  description: 'The new limits, in paise.',
  examples: [usualLimits],
});

export const limitsView = limitsShape;

type LimitNumbers = z.output<typeof limitsShape>;

/** Presents limits, with paise as JSON integers. */
export const presentLimits = (limits: Limits): LimitNumbers =>
  limitsShape.parse(
    Object.fromEntries(limitNames.map((name) => [name, toSafePaise(limits[name])])),
  );

/** Reads the limits that a body has. */
export const toLimits = (body: z.output<typeof limitsBody>): Partial<Limits> =>
  Object.fromEntries(
    limitNames.flatMap((name) => {
      const value = body[name];
      return value === undefined ? [] : [[name, fromSafePaise(value)]];
    }),
  );
