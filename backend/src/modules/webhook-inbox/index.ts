export { createWebhookInbox, type WebhookInbox } from './create-webhook-inbox.ts';
export { openBody } from './sealed-body.ts';
export type {
  EventDelivery,
  EventEffect,
  EventNames,
  EventStatus,
  InboundEvent,
  InboxDeps,
  InboxHandler,
  InboxSource,
  ReceiptResult,
} from './webhook-inbox.types.ts';
