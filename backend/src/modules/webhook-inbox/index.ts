export {
  createWebhookInbox,
  presentReceipt,
  webhookReply,
  type WebhookInbox,
} from './receive-event.ts';
export { resealBodies } from './reseal-bodies.ts';
export { openBody, countOutdatedBodies } from './webhook-inbox.store.ts';
export type {
  EventEffect,
  EventNames,
  InboxDeps,
  InboxHandler,
  ReceiptResult,
} from './webhook-inbox.types.ts';
