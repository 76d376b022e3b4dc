import { addMs, msBetween } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { sweepRows } from '../../platform/jobs/index.ts';
import { describeError, inSpan } from '../../platform/observability/index.ts';
import {
  clearExpiredBodies,
  listDueEvents,
  lockUnappliedEvent,
  openBody,
  postponeEvent,
  recordRetry,
  type StoredEvent,
} from './webhook-inbox.store.ts';
import type { EventEffect, EventStatus, Inbox } from './webhook-inbox.types.ts';

const firstDelayMs = 5000;
const longestDelayMs = 15 * 60_000;
const batchSize = 100;
const purgeBatchSize = 1000;
/** The time in ms for which an event whose subject was unknown is retried. */
const unmatchedForMs = 3 * 24 * 60 * 60_000;

/** Returns the wait in ms after `attempts` failed attempts. It doubles from 5 s up to 15 min. */
export const retryDelayMs = (attempts: number): number =>
  Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(attempts - 1, 20));

/** Runs the handler's step after a commit. An error is only logged, since the event is applied. */
export const runAfterCommit = async <E, Effect extends EventEffect>(
  { handler, logger }: Inbox<E, Effect>,
  effect: Effect,
): Promise<void> => {
  try {
    await handler.afterCommit?.(effect);
  } catch (error) {
    const { source } = handler;
    logger.warn(
      { source, err: describeError(error) },
      'a step after the commit of a webhook event failed',
    );
  }
};

/** Observes the time from an event's delivery until it was applied. Ignores any other status. */
export const observeApplied = <E, Effect extends EventEffect>(
  { handler, clock, observeEvent }: Inbox<E, Effect>,
  status: string,
  receivedAt: Date,
): void => {
  if (status === 'APPLIED') observeEvent?.(handler.source, msBetween(receivedAt, clock.now()));
};

/** Resolves and applies a stored event, in the transaction that has locked it. */
const applyStored = async <E, Effect extends EventEffect>(
  db: Db,
  { handler, vault }: Inbox<E, Effect>,
  stored: StoredEvent,
): Promise<{ readonly status: EventStatus; readonly applied?: Effect }> => {
  const { id, gateway, sealedBody, sealedForUserId, receivedAt } = stored;
  invariant(sealedBody !== null, `the body of event ${id} was purged`);
  const { event } = await openBody(vault, db, { id, sealedBody, sealedForUserId });
  if (event === null) return { status: 'UNREADABLE' };
  const inbound = { gateway, receivedAt, event: handler.parse(event) };
  const applied = await handler.resolve(db, inbound);
  return { status: await handler.apply(db, applied), applied };
};

/**
 * Retries one stored event, in one transaction. Does nothing if the event is already applied.
 * @throws the errors of applying the event. It is then retried again after a longer wait.
 */
export const retryEvent = async <E, Effect extends EventEffect>(
  inbox: Inbox<E, Effect>,
  eventId: string,
): Promise<void> => {
  const { db, inTransaction, clock, handler } = inbox;
  let attempts = 0;
  try {
    const retried = await inTransaction(async (tx) => {
      const stored = await lockUnappliedEvent(tx, handler.source, eventId);
      if (stored === undefined) return undefined;
      attempts = stored.attempts;
      const { traceparent } = stored;
      const done = await inSpan(
        {
          name: `apply ${handler.source} event`,
          kind: 'consumer',
          ...(traceparent !== null && { traceparent }),
        },
        () => applyStored(tx, inbox, stored),
      );
      const isRecorded = await recordRetry(tx, eventId, done.status, clock.now());
      invariant(isRecorded, `locked webhook event ${eventId} was applied by another`);
      return { ...done, receivedAt: stored.receivedAt };
    });
    if (retried === undefined) return;
    const { applied, status, receivedAt } = retried;
    observeApplied(inbox, status, receivedAt);
    if (applied !== undefined) await runAfterCommit(inbox, applied);
  } catch (error) {
    const nextAttemptAt = addMs(clock.now(), retryDelayMs(attempts + 1));
    await postponeEvent(db, eventId, describeError(error).type, nextAttemptAt);
    throw error;
  }
};

const retryEach = async <E, Effect extends EventEffect>(
  inbox: Inbox<E, Effect>,
  eventIds: readonly string[],
  signal: AbortSignal,
): Promise<void> => {
  const { handler, logger } = inbox;
  await sweepRows({
    rows: eventIds,
    signal,
    async handle(eventId) {
      await retryEvent(inbox, eventId);
      return true;
    },
    onError: (error, eventId) =>
      logger.error(
        { source: handler.source, eventId, err: describeError(error) },
        'a retry of a webhook event failed',
      ),
  });
};

/** Retries one batch of PENDING events that are due, longest due first, each in a transaction. */
export const retryPendingEvents = async <E, Effect extends EventEffect>(
  inbox: Inbox<E, Effect>,
  signal: AbortSignal,
): Promise<void> => {
  const now = inbox.clock.now();
  const due = { now, longestWait: addMs(now, 2 * longestDelayMs), limit: batchSize };
  await retryEach(inbox, await listDueEvents(inbox.db, inbox.handler.source, due), signal);
};

/** Retries the UNMATCHED events whose subject has become known since they arrived. */
export const retryUnmatchedEvents = async <E, Effect extends EventEffect>(
  inbox: Inbox<E, Effect>,
  signal: AbortSignal,
): Promise<void> => {
  const since = addMs(inbox.clock.now(), -unmatchedForMs);
  await retryEach(inbox, await inbox.handler.listMatchable(inbox.db, since, batchSize), signal);
};

/** Clears the bodies of events that concern no known customer, 30 days after they arrived. */
export const purgeEventBodies = <E, Effect extends EventEffect>({
  db,
  handler,
  clock,
}: Inbox<E, Effect>): Promise<void> =>
  clearExpiredBodies(db, handler.source, clock.now(), purgeBatchSize);
