import { z } from 'zod';
import { idempotencyKeySchema } from '../../platform/idempotency/index.ts';
import { payoutViewSchema } from '../payouts/index.ts';
import { goldOrderView } from '../orders/index.ts';
import { amountShape, toAmount } from '../quotes/index.ts';

export const sellBody = z
  .object({
    ...amountShape,
    bank_account_id: z.uuid(),
    idempotency_key: idempotencyKeySchema,
    quote_id: z.uuid().optional(),
  })
  .transform((body, context) => ({
    amount: toAmount(body, context),
    bankAccountId: body.bank_account_id,
    quoteId: body.quote_id,
    key: body.idempotency_key,
  }));

/** `payout` is there from the confirmation on. */
export const sellView = z.object({ order: goldOrderView, payout: payoutViewSchema.nullable() });
sellView.register(z.globalRegistry, {
  id: 'Sale',
  description: 'A sell order and, from its confirmation on, the payout of its proceeds.',
});
