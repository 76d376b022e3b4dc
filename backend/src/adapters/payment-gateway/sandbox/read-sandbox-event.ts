import type { z } from 'zod';
import { parseSignedJson } from '../../../platform/http-client/index.ts';
import type {
  ParsedGatewayEvent,
  ParsedPaymentEvent,
  ParsedReversalEvent,
  UnreadableEvent,
} from '../port.ts';
import { paymentEventBody, reversalEventBody } from './sandbox-gateway.schemas.ts';

/** `order.paid` says of the order what `payment.captured` says of its payment. */
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

/** A signed webhook body in our words, or `unreadable` where the service has no use for it. */
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
