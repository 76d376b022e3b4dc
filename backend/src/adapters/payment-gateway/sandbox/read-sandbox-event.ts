import { z } from 'zod';
import { parseSignedJson } from '../../../platform/http-client/index.ts';
import type {
  ParsedGatewayEvent,
  ParsedPaymentEvent,
  ParsedReversalEvent,
  UnreadableEvent,
} from '../port.ts';
import { amountPaise, currency, id, method, moment } from './sandbox-gateway.wire.ts';

const envelope = { event: z.string().regex(/^[\w.-]{1,64}$/), created_at: moment };

/** The body of a webhook that reports a payment or a paid order. */
const paymentEventBody = z.object({
  ...envelope,
  data: z.object({
    gateway_order_id: id,
    gateway_payment_id: id,
    amount_paise: amountPaise,
    currency,
    method,
  }),
});

/** The body of a webhook that reports a refund or a lost dispute, with the reversed amount. */
const reversalEventBody = z.object({
  ...envelope,
  event: z.enum(['refund.processed', 'dispute.lost']),
  data: z.object({
    gateway_order_id: id.optional(),
    gateway_payment_id: id,
    reference: id.optional(),
    amount_paise: amountPaise.refine((value) => value > 0n),
  }),
});

/** The kinds of events by name. `order.paid` reports the same capture as `payment.captured`. */
const kindByName: ReadonlyMap<string, ParsedPaymentEvent['kind']> = new Map([
  ['payment.captured', 'captured'],
  ['order.paid', 'captured'],
  ['payment.failed', 'failed'],
]);

const readReversal = ({
  event: name,
  created_at: occurredAt,
  data,
}: z.output<typeof reversalEventBody>): ParsedReversalEvent => ({
  kind: name === 'refund.processed' ? 'refunded' : 'dispute_lost',
  name,
  ...(data.gateway_order_id !== undefined && { gatewayOrderId: data.gateway_order_id }),
  gatewayPaymentId: data.gateway_payment_id,
  ...(data.reference !== undefined && { reference: data.reference }),
  amountPaise: data.amount_paise,
  occurredAt,
});

/** Reads a signed webhook body. Returns `unreadable` if the service can't use it. */
export const readSandboxEvent = (rawBody: Buffer): ParsedGatewayEvent | UnreadableEvent => {
  const body = parseSignedJson(rawBody);
  const reversal = reversalEventBody.safeParse(body);
  if (reversal.success) return readReversal(reversal.data);
  const parsed = paymentEventBody.safeParse(body);
  if (!parsed.success) return { kind: 'unreadable' };
  const { event: name, created_at: occurredAt, data } = parsed.data;
  return {
    kind: kindByName.get(name) ?? 'other',
    name,
    gatewayOrderId: data.gateway_order_id,
    gatewayPaymentId: data.gateway_payment_id,
    amountPaise: data.amount_paise,
    currency: data.currency,
    ...(data.method === undefined ? {} : { method: data.method }),
    occurredAt,
  };
};
