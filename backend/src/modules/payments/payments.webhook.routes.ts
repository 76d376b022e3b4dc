import type {
  ParsedGatewayEvent,
  PaymentGateway,
  WebhookDelivery,
} from '../../adapters/payment-gateway/port.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, ok, PUBLIC, type Route } from '../../platform/http/index.ts';
import {
  presentReceipt,
  webhookReply,
  type ReceiptResult,
  type WebhookInbox,
} from '../webhook-inbox/index.ts';
import { defaultGateway } from './choose-gateway.ts';
import type { WebhookResult } from './payments.metrics.ts';
import { webhookParamsSchema } from './payments.schemas.ts';
import type { PaymentsDeps } from './payments.types.ts';

interface WebhookDeps extends Pick<PaymentsDeps, 'db' | 'clock' | 'gateways' | 'metrics'> {
  readonly inbox: Pick<WebhookInbox<ParsedGatewayEvent>, 'receiveEvent'>;
}

const resultOf: Readonly<Record<ReceiptResult, WebhookResult>> = {
  APPLIED: 'applied',
  DUPLICATE: 'duplicate',
  IGNORED: 'ignored',
  PENDING: 'deferred',
  UNMATCHED: 'unmatched',
  UNREADABLE: 'unreadable',
};

/** Verifies a delivery. Returns undefined if its signature is invalid or it has no body. */
const verifyDelivery = (gateway: PaymentGateway, delivery: WebhookDelivery) => {
  if (delivery.rawBody.length === 0) return undefined;
  const verified = gateway.verifyWebhook(delivery);
  return verified.valid ? verified : undefined;
};

/**
 * Returns the default gateway, which receives the deliveries on the path without a code. Operators
 * set it, so it is read from the database. A delivery that no gateway has signed is refused first.
 * @throws AppError INVALID_SIGNATURE, or NOT_FOUND if no gateway is configured
 */
const requireDefaultGateway = async (
  deps: WebhookDeps,
  delivery: WebhookDelivery,
): Promise<string> => {
  const { gateways, metrics } = deps;
  const isSigned = [...gateways.values()].some(
    (each) => verifyDelivery(each, delivery) !== undefined,
  );
  if (!isSigned) {
    metrics.countWebhook('default', 'refused');
    throw new AppError('INVALID_SIGNATURE');
  }
  const code = await defaultGateway(deps);
  if (code === undefined) throw new AppError('NOT_FOUND');
  return code;
};

/**
 * Receives one webhook. Checks the signature over the raw bytes first, then passes the event to the
 * inbox. A delivery is refused only for an invalid signature or a missing body, never because of the
 * state of an order.
 * @throws AppError NOT_FOUND, INVALID_SIGNATURE, and any other error only if the event could not be
 *   stored. The gateway then sends the event again.
 */
const receiveWebhook = async (
  { clock, gateways, inbox, metrics }: WebhookDeps,
  code: string,
  delivery: WebhookDelivery,
  requestId: string,
) => {
  const gateway = gateways.get(code);
  if (gateway === undefined) throw new AppError('NOT_FOUND');
  const { rawBody } = delivery;
  const verified = verifyDelivery(gateway, delivery);
  if (verified === undefined) {
    metrics.countWebhook(gateway.code, 'refused');
    throw new AppError('INVALID_SIGNATURE');
  }
  const { eventId, event } = verified;
  const result = await inbox.receiveEvent({
    gateway: gateway.code,
    eventId,
    rawBody,
    event: event.kind === 'unreadable' ? undefined : event,
    receivedAt: clock.now(),
    requestId,
  });
  metrics.countWebhook(gateway.code, resultOf[result]);
  return ok(presentReceipt(result));
};

const declaration = {
  method: 'POST',
  tags: ['webhooks'],
  access: PUBLIC,
  rateLimit: 'exempt',
  rawBody: true,
  isSigned: true,
  responses: { 200: webhookReply },
  errors: ['INVALID_SIGNATURE', 'NOT_FOUND'],
} as const;

/**
 * Declares the paths at which payment gateways report payments (contract: payments-and-webhooks >
 * Webhook routes).
 */
export const createPaymentWebhookRoutes = (deps: WebhookDeps): Route[] => [
  defineRoute({
    ...declaration,
    path: '/webhooks/payment',
    summary: "The default gateway's webhook",
    handler: async ({ rawBody, context: { headers, requestId } }) => {
      const delivery = { rawBody, headers };
      const code = await requireDefaultGateway(deps, delivery);
      return receiveWebhook(deps, code, delivery, requestId);
    },
  }),
  defineRoute({
    ...declaration,
    path: '/webhooks/payment/:gateway',
    summary: "One gateway's webhook",
    params: webhookParamsSchema,
    handler: ({ params, rawBody, context: { headers, requestId } }) =>
      receiveWebhook(deps, params.gateway, { rawBody, headers }, requestId),
  }),
];
