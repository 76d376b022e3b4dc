export { createWebhookInbox, type WebhookInbox } from './create-webhook-inbox.ts';
export { openBody } from './sealed-body.ts';
export type {
  Arrival,
  ArrivalResult,
  EventNames,
  InboxDeps,
  InboxHandler,
  InboxSource,
  InboxStatus,
  Meaning,
  ReceivedEvent,
} from './webhook-inbox.types.ts';
