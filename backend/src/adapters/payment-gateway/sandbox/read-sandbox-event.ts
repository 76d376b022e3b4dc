import { parseLosslessJson } from '../../../platform/http-client/index.ts';
import type { ParsedPaymentEvent, UnreadableEvent } from '../port.ts';
import { eventBody } from './sandbox-gateway.schemas.ts';

/** `order.paid` says of the order what `payment.captured` says of its payment. */
const kindByName: ReadonlyMap<string, ParsedPaymentEvent['kind']> = new Map([
  ['payment.captured', 'captured'],
  ['order.paid', 'captured'],
  ['payment.failed', 'failed'],
]);

/** A signed webhook body in our words; `unreadable` when it is none of ours to understand. */
export const readSandboxEvent = (rawBody: Buffer): ParsedPaymentEvent | UnreadableEvent => {
  const parsed = eventBody.safeParse(parseLosslessJson(rawBody.toString('utf8')));
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
