export {
  createWebhookInbox,
  presentReceipt,
  webhookReply,
  type WebhookInbox,
} from './receive-event.ts';
export {
  findEvent,
  ignoreUnmatchedEvents,
  listEvents,
  lockEvent,
  type EventFilter,
  type ListedEvent,
} from './list-events.ts';
export { openBody, countOutdatedBodies, resealBodies } from './webhook-inbox.store.ts';
export {
  eventStatuses,
  inboxSources,
  type EventEffect,
  type EventNames,
  type InboxDeps,
  type InboxHandler,
  type InboxSource,
  type ReceiptResult,
} from './webhook-inbox.types.ts';
