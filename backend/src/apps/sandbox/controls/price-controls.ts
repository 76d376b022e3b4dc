import type { Router } from 'express';
import { z } from 'zod';
import { control, controlBody } from './control.ts';
import type { SandboxParts } from '../sandbox-parts.ts';

const pricePaise = z
  .number({ error: 'must be a price in whole paise' })
  .int()
  .min(1)
  .max(1_000_000_000);

const priceSchema = z.object({
  buyPaise: pricePaise,
  sellPaise: pricePaise,
  spotPaise: pricePaise.optional(),
});

/**
 * Shows the provider's current price per gram before tax. `isFixed` is true if a control set the
 * price.
 */
export const priceView = ({ prices }: SandboxParts) => ({
  ...prices.current(),
  isFixed: prices.fixed() !== undefined,
});

/**
 * Adds `/_control/price`, which shows and sets the gold provider's price. The price varies unless
 * it is set.
 */
export const priceControls = (router: Router, parts: SandboxParts): void => {
  const { prices, changed } = parts;
  router.get(
    '/price',
    control(() => ({ body: priceView(parts) })),
  );
  router.put(
    '/price',
    control((req) => {
      const input = controlBody(req, priceSchema);
      const buyPaise = BigInt(input.buyPaise);
      const sellPaise = BigInt(input.sellPaise);
      const middlePaise = (buyPaise + sellPaise + 1n) / 2n;
      const { spotPaise } = input;
      prices.fix({
        buyPaise,
        sellPaise,
        spotPaise: spotPaise === undefined ? middlePaise : BigInt(spotPaise),
      });
      changed();
      return { body: priceView(parts) };
    }),
  );
  router.delete(
    '/price',
    control(() => {
      prices.follow();
      changed();
      return { body: priceView(parts) };
    }),
  );
};
