import { z } from 'zod';
import { exampleOf, plainLine, plainText } from '../../platform/http/index.ts';
import { adminOrderRow, orderEventView, paiseInt } from '../orders/index.ts';
import { paymentOrderOperatorView } from '../payments/index.ts';
import { payoutOperatorView } from '../payouts/index.ts';

/** The ways in which an operator ends a manual review (contract: states > Resolutions). */
const resolutions = [
  'ALLOCATE',
  'REFUNDED',
  'KEEP',
  'RECOVER',
  'CONFIRM_SELL',
  'RELEASE_SELL',
] as const;
export type ResolutionName = (typeof resolutions)[number];

export const resolveBody = z
  .object({
    resolution: z.enum(resolutions),
    reference: plainLine(128)
      .describe("A reference that proves the resolution. For REFUNDED, the gateway's reference.")
      .optional(),
    note: plainText(2000).optional(),
  })
  .refine(({ resolution, reference }) => resolution !== 'REFUNDED' || reference !== undefined, {
    path: ['reference'],
    message: 'is required for REFUNDED',
  });
resolveBody.register(z.globalRegistry, {
  id: 'ResolveOrderRequest',
  examples: [{ resolution: 'REFUNDED', reference: 'rfnd_1001', note: 'Refunded at the gateway.' }],
});

/** An order as operators see it, with its payments, its payout and its history. */
export const adminOrderView = adminOrderRow.extend({
  provider_amount_paise: paiseInt.nullable(),
  price_difference_paise: z.int().nullable(),
  payout: payoutOperatorView.nullable(),
  payments: z.array(paymentOrderOperatorView),
  events: z.array(orderEventView),
});
adminOrderView.register(z.globalRegistry, {
  id: 'OperatorGoldOrderDetail',
  description: 'A gold order with its payments, its payout and its history, oldest first.',
  examples: [
    {
      ...exampleOf(adminOrderRow),
      provider_amount_paise: 100_050,
      price_difference_paise: null,
      payout: null,
      payments: [exampleOf(paymentOrderOperatorView)],
      events: [exampleOf(orderEventView)],
    },
  ],
});
export type AdminOrderView = z.output<typeof adminOrderView>;
