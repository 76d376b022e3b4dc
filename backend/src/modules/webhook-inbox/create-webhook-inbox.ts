import { receiveEvent } from './receive-event.ts';
import {
  purgeEventBodies,
  retryEvent,
  retryPendingEvents,
  retryUnmatchedEvents,
} from './retry-events.ts';
import type {
  EventDelivery,
  EventEffect,
  InboxDeps,
  InboxHandler,
  ReceiptResult,
} from './webhook-inbox.types.ts';

/** The inbox of one source of webhooks; see each function's own page for its promises. */
export interface WebhookInbox<E> {
  receiveEvent(delivery: EventDelivery<E>): Promise<ReceiptResult>;
  retryEvent(eventId: string): Promise<void>;
  retryPendingEvents(): Promise<void>;
  retryUnmatchedEvents(): Promise<void>;
  purgeEventBodies(): Promise<void>;
}

/** Creates the inbox of the source that `handler` knows. */
export const createWebhookInbox = <E, Effect extends EventEffect>(
  deps: InboxDeps,
  handler: InboxHandler<E, Effect>,
): WebhookInbox<E> => {
  const inbox = { ...deps, handler };
  return {
    receiveEvent: (delivery) => receiveEvent(inbox, delivery),
    retryEvent: (eventId) => retryEvent(inbox, eventId),
    retryPendingEvents: () => retryPendingEvents(inbox),
    retryUnmatchedEvents: () => retryUnmatchedEvents(inbox),
    purgeEventBodies: () => purgeEventBodies(inbox),
  };
};
