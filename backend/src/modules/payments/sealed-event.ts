import { z } from 'zod';
import type { ParsedPaymentEvent } from '../../adapters/payment-gateway/port.ts';
import { fromSafePaise, toSafePaise } from '../../money/index.ts';

/** An event as the inbox keeps it, sealed, until it can be applied. */
const storedEventSchema = z.object({
  kind: z.enum(['captured', 'failed', 'other']),
  name: z.string(),
  gatewayOrderId: z.string(),
  gatewayPaymentId: z.string(),
  amountPaise: z.int().transform(fromSafePaise),
  currency: z.string(),
  method: z.string().exactOptional(),
  occurredAt: z.iso.datetime().transform((text) => new Date(text)),
});

/** The form of an event that JSON can hold. */
export const printPaymentEvent = (event: ParsedPaymentEvent): object => ({
  ...event,
  amountPaise: toSafePaise(event.amountPaise),
});

/** And back. */
export const parsePaymentEvent = (content: unknown): ParsedPaymentEvent =>
  storedEventSchema.parse(content);
