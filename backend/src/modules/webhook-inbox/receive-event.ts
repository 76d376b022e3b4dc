import { createHash } from 'node:crypto';
import { z } from 'zod';
import { addMs } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import { describeError } from '../../platform/observability/index.ts';
import {
  observeApplied,
  purgeEventBodies,
  retryDelayMs,
  retryEvent,
  retryPendingEvents,
  retryUnmatchedEvents,
  runAfterCommit,
} from './retry-events.ts';
import {
  sealBody,
  updateEventStatus,
  findOtherBody,
  insertEvent,
  type NewEvent,
} from './webhook-inbox.store.ts';
import type {
  EventDelivery,
  EventEffect,
  Inbox,
  InboxDeps,
  InboxHandler,
  ReceiptResult,
} from './webhook-inbox.types.ts';

/** The time in ms after which the body of an event that concerns no known customer is cleared. */
const serviceSealedMs = 30 * 24 * 60 * 60_000;

/** Resolves the effect of an event. Returns undefined if its body can't be read. */
const resolve = async <E, Effect extends EventEffect>(
  tx: Db,
  { handler }: Inbox<E, Effect>,
  { event, ...delivery }: EventDelivery<E>,
): Promise<Effect | undefined> =>
  event === undefined ? undefined : handler.resolve(tx, { ...delivery, event });

/** Creates the inbox row of a delivery. The body is sealed for the customer whom it concerns. */
const toRow = async <E, Effect extends EventEffect>(
  tx: Db,
  { handler, random, vault }: Inbox<E, Effect>,
  delivery: EventDelivery<E>,
  userId: string | undefined,
): Promise<Omit<NewEvent, 'status' | 'failure'>> => {
  const { gateway, eventId, rawBody, event, receivedAt } = delivery;
  const id = random.uuid();
  const serialized = event === undefined ? null : handler.serialize(event);
  const sealed = await sealBody(vault, tx, { id, userId, rawBody, event: serialized });
  const isServiceSealed = sealed.sealedForUserId === undefined;
  return {
    id,
    source: handler.source,
    gateway,
    eventId,
    bodyHash: createHash('sha256').update(rawBody).digest('hex'),
    names: event === undefined ? undefined : handler.namesOf(event),
    ...sealed,
    purgeAfter: isServiceSealed ? addMs(receivedAt, serviceSealedMs) : undefined,
    receivedAt,
  };
};

/**
 * Logs an error if an event id was delivered before with a different body. The contract counts the
 * delivery as a repeat, but a correct sender never reuses an id.
 */
const reportReusedId = async <E, Effect extends EventEffect>(
  tx: Db,
  { handler: { source }, logger }: Inbox<E, Effect>,
  row: Omit<NewEvent, 'status' | 'failure'>,
): Promise<void> => {
  const storedId = await findOtherBody(tx, row);
  if (storedId === undefined) return;
  const line = { source, gateway: row.gateway, storedId, bodyHash: row.bodyHash };
  logger.error(line, 'a webhook event id was reused with a different body');
};

/**
 * Stores an event and applies it, in the caller's transaction. A repeat changes nothing.
 * @throws the errors of `handler.apply`. The transaction must then roll back.
 */
const storeAndApply = async <E, Effect extends EventEffect>(
  tx: Db,
  inbox: Inbox<E, Effect>,
  delivery: EventDelivery<E>,
): Promise<{ readonly result: ReceiptResult; readonly applied?: Effect }> => {
  const effect = await resolve(tx, inbox, delivery);
  const expected = effect?.status ?? 'UNREADABLE';
  const row = await toRow(tx, inbox, delivery, effect?.userId);
  if (!(await insertEvent(tx, { ...row, status: expected }))) {
    await reportReusedId(tx, inbox, row);
    return { result: 'DUPLICATE' };
  }
  if (effect === undefined) return { result: expected };
  const status = await inbox.handler.apply(tx, effect);
  if (status !== expected) await updateEventStatus(tx, row.id, status, delivery.receivedAt);
  return { result: status, applied: effect };
};

/** Stores an event that could not be applied, with the job that retries it. */
const storeForRetry = async <E, Effect extends EventEffect>(
  tx: Db,
  inbox: Inbox<E, Effect>,
  delivery: EventDelivery<E>,
  error: string,
): Promise<ReceiptResult> => {
  const { source, applyTask } = inbox.handler;
  const effect = await resolve(tx, inbox, delivery);
  const row = await toRow(tx, inbox, delivery, effect?.userId);
  const failure = { error, nextAttemptAt: addMs(delivery.receivedAt, retryDelayMs(1)) };
  if (!(await insertEvent(tx, { ...row, status: 'PENDING', failure }))) return 'DUPLICATE';
  const payload = { eventId: row.id };
  await enqueue(tx, { task: applyTask, payload, key: `${source}-${row.id}` });
  return 'PENDING';
};

/**
 * Receives one signed event. One transaction stores the event and applies its effect. If the effect
 * can't be applied now, the event is only stored and later retried, so that no accepted event is
 * lost.
 * @throws only if the event could not be stored. The sender then sends the event again.
 */
const receiveEvent = async <E, Effect extends EventEffect>(
  inbox: Inbox<E, Effect>,
  delivery: EventDelivery<E>,
): Promise<ReceiptResult> => {
  const { inTransaction, logger, handler } = inbox;
  try {
    const { result, applied } = await inTransaction((tx) => storeAndApply(tx, inbox, delivery));
    observeApplied(inbox, result, delivery.receivedAt);
    if (applied !== undefined) await runAfterCommit(inbox, applied);
    return result;
  } catch (error) {
    const { source } = handler;
    const err = describeError(error);
    logger.error({ source, gateway: delivery.gateway, err }, 'webhook event stored for a retry');
    return inTransaction((tx) => storeForRetry(tx, inbox, delivery, err.type));
  }
};

/** The inbox of one source of webhooks. It receives events and retries those that were not applied. */
export interface WebhookInbox<E> {
  receiveEvent(delivery: EventDelivery<E>): Promise<ReceiptResult>;
  retryEvent(eventId: string): Promise<void>;
  retryPendingEvents(signal: AbortSignal): Promise<void>;
  retryUnmatchedEvents(signal: AbortSignal): Promise<void>;
  purgeEventBodies(): Promise<void>;
}

/** Creates the inbox of the source of `handler`. */
export const createWebhookInbox = <E, Effect extends EventEffect>(
  deps: InboxDeps,
  handler: InboxHandler<E, Effect>,
): WebhookInbox<E> => {
  const inbox = { ...deps, handler };
  return {
    receiveEvent: (delivery) => receiveEvent(inbox, delivery),
    retryEvent: (eventId) => retryEvent(inbox, eventId),
    retryPendingEvents: (signal) => retryPendingEvents(inbox, signal),
    retryUnmatchedEvents: (signal) => retryUnmatchedEvents(inbox, signal),
    purgeEventBodies: () => purgeEventBodies(inbox),
  };
};

/** The response body for every accepted webhook. */
export const webhookReply = z.object({
  received: z.literal(true),
  duplicate: z.literal(true).optional(),
});
webhookReply.register(z.globalRegistry, {
  id: 'WebhookReceipt',
  description: 'The delivery was accepted. The sender does not need to repeat it.',
  examples: [{ received: true }, { received: true, duplicate: true }],
});

/**
 * Presents the result of a delivery to its sender (contract: payments-and-webhooks > Webhook
 * answers).
 */
export const presentReceipt = (result: ReceiptResult): z.infer<typeof webhookReply> =>
  result === 'DUPLICATE' ? { received: true, duplicate: true } : { received: true };
