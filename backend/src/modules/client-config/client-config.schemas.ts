import { z } from 'zod';
import { toSafePaise, type Paise } from '../../money/index.ts';
import { exampleOf } from '../../platform/http/index.ts';
import { frequencies, mostInstallments } from '../plans/index.ts';
import { gateStates } from '../readiness/index.ts';
import { bannerView, limitsView, presentLimits, type Limits } from '../settings/index.ts';

const amount = z.int().min(0);

const sipView = z.object({
  minPaise: amount,
  maxPaise: amount,
  mandateMaxPaise: amount,
  frequencies: z.array(z.enum(frequencies)),
  minInstallments: z.int(),
  maxInstallments: z.int(),
});

const deliveryView = z.object({ feePaise: amount, freeFromPaise: amount });

const gatesView = z.object({
  checkout: gateStates,
  buy: gateStates,
  sell: gateStates,
  sip: gateStates,
});

export const configView = z.object({
  limits: limitsView,
  dailyBuyRemainingPaise: amount.nullable(),
  sip: sipView,
  delivery: deliveryView,
  flags: z.record(z.string(), z.boolean()),
  banners: z.array(bannerView),
  gates: gatesView,
  minimumAppVersion: z.string().nullable(),
});
configView.register(z.globalRegistry, {
  id: 'ClientConfig',
  description: 'Everything that a client needs before its first request.',
  examples: [
    {
      limits: exampleOf(limitsView),
      dailyBuyRemainingPaise: 50_000_000,
      sip: {
        minPaise: 1000,
        maxPaise: 10_000_000,
        mandateMaxPaise: 1_500_000,
        frequencies: [...frequencies],
        minInstallments: 1,
        maxInstallments: mostInstallments,
      },
      delivery: { feePaise: 9900, freeFromPaise: 500_000 },
      flags: { newCheckout: true },
      banners: [exampleOf(bannerView)],
      gates: { checkout: 'OPEN', buy: 'OPEN', sell: 'OPEN', sip: 'OPEN' },
      minimumAppVersion: '3.2.0',
    },
  ],
});

const minPaise = (one: Paise, other: Paise): Paise => (one < other ? one : other);

/** Presents the amounts that a plan may have. An installment never exceeds the largest purchase. */
const presentSip = (limits: Limits): z.output<typeof sipView> => {
  const maxPaise = minPaise(limits.maxSipPaise, limits.maxBuyPaise);
  return {
    minPaise: toSafePaise(limits.minSipPaise),
    maxPaise: toSafePaise(maxPaise),
    mandateMaxPaise: toSafePaise(minPaise(maxPaise, limits.mandateMaxPaise)),
    frequencies: [...frequencies],
    minInstallments: 1,
    maxInstallments: mostInstallments,
  };
};

/** Presents the limits, the amounts of a plan, and the delivery fee of jewellery. */
export const presentAmounts = (limits: Limits) => ({
  limits: presentLimits(limits),
  sip: presentSip(limits),
  delivery: {
    feePaise: toSafePaise(limits.deliveryFeePaise),
    freeFromPaise: toSafePaise(limits.freeDeliveryFromPaise),
  },
});
