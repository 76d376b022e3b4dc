import type { PayoutProvider } from '../../adapters/payout-provider/port.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, ok, PUBLIC, type Route } from '../../platform/http/index.ts';
import { presentReceipt, webhookReply, type WebhookInbox } from '../webhook-inbox/index.ts';
import type { ReadPayoutEvent } from './payout-events.ts';

/**
 * Declares the webhook that receives the payout provider's reports of payouts and penny-drops
 * (contract: payments-and-webhooks > Payout events). Only a bad signature or a missing body is
 * refused. An event that cannot be applied is stored and answered with 200.
 */
export const createPayoutWebhookRoutes = (deps: {
  readonly clock: Clock;
  readonly provider: PayoutProvider;
  readonly inbox: Pick<WebhookInbox<ReadPayoutEvent>, 'receiveEvent'>;
}): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/webhooks/payout',
    summary: "The payout provider's webhook",
    tags: ['webhooks'],
    access: PUBLIC,
    rateLimit: 'exempt',
    rawBody: true,
    isSigned: true,
    responses: { 200: webhookReply },
    errors: ['INVALID_SIGNATURE'],
    handler: async ({ rawBody, context: { headers, requestId } }) => {
      const { clock, provider, inbox } = deps;
      const verified =
        rawBody.length === 0 ? undefined : provider.verifyWebhook({ rawBody, headers });
      if (verified?.valid !== true) throw new AppError('INVALID_SIGNATURE');
      const { eventId, event } = verified;
      const result = await inbox.receiveEvent({
        gateway: provider.code,
        eventId,
        rawBody,
        event: event.kind === 'unreadable' ? undefined : event,
        receivedAt: clock.now(),
        requestId,
      });
      return ok(presentReceipt(result));
    },
  }),
];
