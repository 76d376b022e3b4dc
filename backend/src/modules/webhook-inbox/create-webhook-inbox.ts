import { addMs } from '../../platform/clock/clock.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import { describeError } from '../../platform/observability/index.ts';
import { createApplyWaitingEvents, type ApplyWaitingEvents } from './apply-waiting-events.ts';
import { retryDelayMs } from './retry-delay.ts';
import { keepForLater, takeIn } from './take-in-event.ts';
import type { Arrival, ArrivalResult, InboxDeps, InboxHandler } from './webhook-inbox.types.ts';

/** The inbox of one source of webhooks. */
export interface WebhookInbox<E> extends ApplyWaitingEvents {
  /**
   * Takes in one signed event: the inbox row and what follows of the event in one transaction.
   * What can't be applied now is stored alone and tried again, so that nothing accepted is
   * dropped. @throws only when not even storing it worked, which makes the sender send it again
   */
  receive(arrival: Arrival<E>): Promise<ArrivalResult>;
}

/** Opens the inbox of the source that `handler` knows. */
export const createWebhookInbox = <E>(
  deps: InboxDeps,
  handler: InboxHandler<E>,
): WebhookInbox<E> => {
  const { inTransaction, logger } = deps;
  const { source, applyTask } = handler;
  const parts = { ...deps, handler };

  const defer = async (arrival: Arrival<E>, error: unknown): Promise<ArrivalResult> => {
    const { gateway, receivedAt } = arrival;
    const err = describeError(error);
    logger.error({ source, gateway, err }, 'webhook event kept to be applied later');
    const failure = { error: err.type, nextAttemptAt: addMs(receivedAt, retryDelayMs(1)) };
    return inTransaction(async (db) => {
      const eventId = await keepForLater(db, parts, arrival, failure);
      if (eventId === undefined) return 'DUPLICATE';
      await enqueue(db, { task: applyTask, payload: { eventId }, key: `${source}-${eventId}` });
      return 'PENDING';
    });
  };

  return {
    receive: (arrival) =>
      inTransaction((db) => takeIn(db, parts, arrival)).catch((error: unknown) =>
        defer(arrival, error),
      ),
    ...createApplyWaitingEvents(parts),
  };
};
