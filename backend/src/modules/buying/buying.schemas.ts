import { z } from 'zod';
import { idempotencyKeySchema } from '../../platform/idempotency/index.ts';
import { paymentMethods, paymentOrderSchema } from '../payments/index.ts';
import { goldOrderView } from '../orders/index.ts';
import { amountShape, toAmount } from '../quotes/index.ts';

export const buyBody = z
  .object({ ...amountShape, idempotency_key: idempotencyKeySchema })
  .transform((body, context) => ({ ...toAmount(body, context), key: body.idempotency_key }));

export const payQuoteBody = z.object({
  quote_id: z.uuid(),
  idempotency_key: idempotencyKeySchema,
  method: z.enum(paymentMethods).optional(),
  terms_accepted: z.boolean().optional(),
});

export const buyView = z.object({
  order: goldOrderView,
  payment: paymentOrderSchema,
  sg_tx_id: z.string(),
  expires_at: z.iso.datetime(),
});
buyView.register(z.globalRegistry, {
  id: 'Purchase',
  description: 'A buy order and the payment that it waits for.',
});
