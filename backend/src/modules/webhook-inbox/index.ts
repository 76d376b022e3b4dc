export { createWebhookInbox, type WebhookInbox } from './create-webhook-inbox.ts';
export { resealBodies } from './reseal-bodies.ts';
export { openBody } from './sealed-body.ts';
export { presentReceipt, webhookReply } from './webhook-reply.ts';
export { countOutdatedBodies } from './webhook-inbox.store.ts';
export type {
  EventEffect,
  EventNames,
  InboxDeps,
  InboxHandler,
  ReceiptResult,
} from './webhook-inbox.types.ts';
