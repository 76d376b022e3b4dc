import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, ok, PUBLIC, type Route } from '../../platform/http/index.ts';
import type { GatewaysByCode } from './choose-gateway.ts';
import { webhookParamsSchema, webhookReplySchema } from './payments.schemas.ts';
import type { createReceiveWebhook } from './receive-webhook.ts';

interface WebhookRouteDeps {
  readonly gateways: GatewaysByCode;
  readonly defaultGateway: () => Promise<string | undefined>;
  readonly receiveWebhook: ReturnType<typeof createReceiveWebhook>;
}

const declaration = {
  method: 'POST',
  tags: ['webhooks'],
  access: PUBLIC,
  rateLimit: 'exempt',
  rawBody: true,
  responses: { 200: webhookReplySchema },
  errors: ['INVALID_SIGNATURE', 'NOT_FOUND'],
} as const;

/**
 * Where payment gateways tell us what became of payments (decisions, section 5). A business
 * problem is never an error here: only a bad signature or a missing body is refused.
 */
export const paymentWebhookRoutes = (deps: WebhookRouteDeps): Route[] => {
  const receive = async (
    code: string | undefined,
    input: Parameters<Parameters<typeof defineRoute>[0]['handler']>[0],
  ) => {
    const gateway = code === undefined ? undefined : deps.gateways.get(code);
    if (gateway === undefined) throw new AppError('NOT_FOUND');
    const { rawBody, context } = input;
    const delivery = { rawBody, headers: context.headers };
    const { duplicate } = await deps.receiveWebhook(gateway, delivery, context.requestId);
    return ok(duplicate ? { received: true, duplicate: true } : { received: true });
  };
  return [
    defineRoute({
      ...declaration,
      path: '/webhooks/payment',
      summary: "The default gateway's webhook",
      handler: async (input) => receive(await deps.defaultGateway(), input),
    }),
    defineRoute({
      ...declaration,
      path: '/webhooks/payment/:gateway',
      summary: "One gateway's webhook",
      params: webhookParamsSchema,
      handler: async (input) => receive(input.params.gateway, input),
    }),
  ];
};
