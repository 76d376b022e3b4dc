import { z } from 'zod';
import { exampleOf, idInput, moment, pageOf, pageQuery } from '../../platform/http/index.ts';
import { eventStatuses, inboxSources, type ListedEvent } from '../webhook-inbox/index.ts';

/** A name or id of a gateway or provider, which has up to 200 characters. */
const nameText = z.string().min(1).max(200);

export const webhookEventsQuery = pageQuery.extend({
  status: z.enum(eventStatuses).optional(),
  source: z.enum(inboxSources).optional(),
  gateway: nameText.optional(),
  eventType: nameText.optional(),
  subject: nameText.optional(),
  gatewayPaymentId: nameText.optional(),
  userId: idInput.optional(),
  from: moment.optional(),
  to: moment.optional(),
});

const webhookEventView = z.object({
  id: z.uuid(),
  source: z.enum(inboxSources),
  gateway: z.string(),
  eventId: z.string().nullable(),
  eventType: z.string().nullable(),
  subject: z
    .string()
    .nullable()
    .describe('The id of the gateway order, payout or validation that the event is about.'),
  gatewayPaymentId: z.string().nullable(),
  status: z.enum(eventStatuses),
  userId: z
    .uuid()
    .nullable()
    .describe('The customer that the event is about. Null if the customer was not known.'),
  attempts: z.int().min(0),
  nextAttemptAt: z.iso.datetime().nullable(),
  lastError: z.string().nullable(),
  receivedAt: z.iso.datetime(),
  appliedAt: z.iso.datetime().nullable(),
});
webhookEventView.register(z.globalRegistry, {
  id: 'WebhookEvent',
  description: 'A signed webhook event, as it was stored.',
  examples: [
    {
      id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      source: 'payment',
      gateway: 'sandbox',
      eventId: 'evt_1001',
      eventType: 'payment.captured',
      subject: 'sbx_order_1001',
      gatewayPaymentId: 'sbx_pay_1001',
      status: 'UNMATCHED',
      userId: null,
      attempts: 0,
      nextAttemptAt: null,
      lastError: null,
      receivedAt: '2026-01-15T09:30:00.000Z',
      appliedAt: null,
    },
  ],
});

export const webhookEventPage = pageOf(webhookEventView);

export const webhookEventDetail = webhookEventView.extend({
  canReplay: z.boolean(),
  bodyState: z
    .enum(['MASKED', 'NOT_JSON', 'PURGED', 'SEALED'])
    .describe(
      'MASKED if `body` is present. NOT_JSON: the body is no JSON. PURGED: the body was deleted ' +
        'after its retention. SEALED: the account was deleted, and with it the key of the body.',
    ),
  body: z
    .unknown()
    .describe(
      'The JSON body of the event, with personal data masked. Absent unless `bodyState` is MASKED.',
    )
    .optional(),
});
webhookEventDetail.register(z.globalRegistry, {
  id: 'WebhookEventDetail',
  description: 'A signed webhook event with its masked body.',
  examples: [
    {
      ...exampleOf(webhookEventView),
      canReplay: true,
      bodyState: 'MASKED',
      body: { event: 'payment.captured', data: { amount_paise: 100_050, contact: '***' } },
    },
  ],
});

/** Returns true if an event is not applied yet and still has its body. */
export const canReplay = (
  { status }: Pick<ListedEvent, 'status'>,
  sealedBody: string | null,
): boolean => sealedBody !== null && (status === 'PENDING' || status === 'UNMATCHED');

export const presentEvent = (event: ListedEvent) => ({
  id: event.id,
  source: event.source,
  gateway: event.gateway,
  eventId: event.eventId,
  eventType: event.eventType,
  subject: event.subject,
  gatewayPaymentId: event.gatewayPaymentId,
  status: event.status,
  userId: event.sealedForUserId,
  attempts: event.attempts,
  nextAttemptAt: event.nextAttemptAt?.toISOString() ?? null,
  lastError: event.lastError,
  receivedAt: event.receivedAt.toISOString(),
  appliedAt: event.appliedAt?.toISOString() ?? null,
});
