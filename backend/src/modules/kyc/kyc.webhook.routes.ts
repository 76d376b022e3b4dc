import type { Clock } from '../../platform/clock/clock.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, ok, PUBLIC, type Route } from '../../platform/http/index.ts';
import { presentReceipt, webhookReply, type WebhookInbox } from '../webhook-inbox/index.ts';
import type { KycEvent } from './kyc-events.ts';

export interface KycWebhookDeps {
  readonly clock: Clock;
  readonly inbox: Pick<WebhookInbox<KycEvent>, 'receiveEvent'>;
  /** Returns true if the signature is valid for these bytes under one of the configured secrets. */
  readonly isSignedBody: (rawBody: Buffer, signature: unknown) => boolean;
}

/**
 * Declares the webhook of the KYC provider (contract: payments-and-webhooks > Webhook routes). A signed
 * event is stored once and has no effect, because operators decide about KYC.
 */
export const createKycWebhookRoutes = ({ clock, inbox, isSignedBody }: KycWebhookDeps): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/webhooks/kyc',
    summary: "The KYC provider's webhook",
    tags: ['webhooks'],
    access: PUBLIC,
    rateLimit: 'exempt',
    rawBody: true,
    isSigned: true,
    responses: { 200: webhookReply },
    errors: ['INVALID_SIGNATURE'],
    handler: async ({ rawBody, context: { headers, requestId } }) => {
      if (rawBody.length === 0 || !isSignedBody(rawBody, headers['x-signature'])) {
        throw new AppError('INVALID_SIGNATURE');
      }
      const result = await inbox.receiveEvent({
        gateway: 'kyc',
        eventId: undefined,
        rawBody,
        event: {},
        receivedAt: clock.now(),
        requestId,
      });
      return ok(presentReceipt(result));
    },
  }),
];
