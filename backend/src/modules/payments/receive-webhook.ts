import type { PaymentGateway, WebhookDelivery } from '../../adapters/payment-gateway/port.ts';
import { addMs } from '../../platform/clock/clock.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import { describeError, type Logger } from '../../platform/observability/index.ts';
import { applyEventTask } from './payments.jobs.ts';
import type { PaymentMetrics, WebhookResult } from './payments.metrics.ts';
import { retryDelayMs } from './retry-delay.ts';
import { keepForLater, takeIn, type Arrival, type TakeInDeps } from './take-in-event.ts';
import type { InboxStatus } from './webhook-inbox.store.ts';

export interface ReceiveWebhookDeps extends TakeInDeps {
  readonly inTransaction: InTransaction;
  readonly logger: Logger;
  readonly metrics: PaymentMetrics;
}

const resultOf: Readonly<Record<InboxStatus | 'DUPLICATE', WebhookResult>> = {
  APPLIED: 'applied',
  DUPLICATE: 'duplicate',
  IGNORED: 'ignored',
  PENDING: 'deferred',
  UNMATCHED: 'unmatched',
  UNREADABLE: 'unreadable',
};

/**
 * Takes in one webhook: the signature over the raw bytes, then the inbox and what follows of the
 * event in one transaction. What can't be applied now is stored alone and tried again, so that
 * nothing accepted is dropped. Answers whether it was a repeat.
 * @throws AppError INVALID_SIGNATURE; anything else only when not even storing it worked, which
 *   makes the gateway send it again
 */
export const createReceiveWebhook = (deps: ReceiveWebhookDeps) => {
  const { inTransaction, clock, logger, metrics } = deps;

  const defer = async (arrival: Arrival, error: unknown): Promise<InboxStatus | 'DUPLICATE'> => {
    const { gateway, receivedAt } = arrival;
    logger.error({ gateway, err: describeError(error) }, 'payment event kept to be applied later');
    const failure = {
      error: describeError(error).type,
      nextAttemptAt: addMs(receivedAt, retryDelayMs(1)),
    };
    return inTransaction(async (db) => {
      const eventId = await keepForLater(db, deps, arrival, failure);
      if (eventId === undefined) return 'DUPLICATE';
      await enqueue(db, { task: applyEventTask, payload: { eventId }, key: `payment-${eventId}` });
      return 'PENDING';
    });
  };

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
    const arrival: Arrival = {
      gateway: gateway.code,
      eventId,
      rawBody,
      event,
      receivedAt: clock.now(),
      requestId,
    };
    const status = await inTransaction((db) => takeIn(db, deps, arrival)).catch((error: unknown) =>
      defer(arrival, error),
    );
    metrics.countWebhook(gateway.code, resultOf[status]);
    return { duplicate: status === 'DUPLICATE' };
  };
};
