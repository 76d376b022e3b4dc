import type {
  ParsedPaymentEvent,
  PaymentGateway,
  WebhookDelivery,
} from '../../adapters/payment-gateway/port.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { ReceiptResult, WebhookInbox } from '../webhook-inbox/index.ts';
import type { PaymentMetrics, WebhookResult } from './payments.metrics.ts';

export interface ReceiveWebhookDeps {
  readonly clock: Clock;
  readonly inbox: Pick<WebhookInbox<ParsedPaymentEvent>, 'receiveEvent'>;
  readonly metrics: PaymentMetrics;
}

const resultOf: Readonly<Record<ReceiptResult, WebhookResult>> = {
  APPLIED: 'applied',
  DUPLICATE: 'duplicate',
  IGNORED: 'ignored',
  PENDING: 'deferred',
  UNMATCHED: 'unmatched',
  UNREADABLE: 'unreadable',
};

/**
 * Takes in one webhook: the signature over the raw bytes, then the inbox. Answers whether it was a
 * repeat. @throws AppError INVALID_SIGNATURE; anything else only when not even storing it worked,
 * which makes the gateway send it again
 */
export const createReceiveWebhook = (deps: ReceiveWebhookDeps) => {
  const { clock, inbox, metrics } = deps;
  return async (
    gateway: PaymentGateway,
    delivery: WebhookDelivery,
    requestId: string,
  ): Promise<{ duplicate: boolean }> => {
    const { rawBody } = delivery;
    const verified = rawBody.length === 0 ? undefined : gateway.verifyWebhook(delivery);
    if (verified?.valid !== true) {
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
    return { duplicate: result === 'DUPLICATE' };
  };
};
