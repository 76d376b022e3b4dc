import { z } from 'zod';
import type { ReceiptResult } from './webhook-inbox.types.ts';

/** The body that answers every webhook that was accepted. */
export const webhookReply = z.object({
  received: z.literal(true),
  duplicate: z.literal(true).optional(),
});

/** Presents what became of a delivery, to its sender (contract: payments-and-webhooks > Webhook answers). */
export const presentReceipt = (result: ReceiptResult): z.infer<typeof webhookReply> =>
  result === 'DUPLICATE' ? { received: true, duplicate: true } : { received: true };
