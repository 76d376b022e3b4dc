import { addMs } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { describeError } from '../../platform/observability/index.ts';
import { longestRetryMs, retryDelayMs } from './retry-delay.ts';
import { openBody } from './sealed-body.ts';
import { createWebhookInboxStore, type StoredEvent } from './webhook-inbox.store.ts';
import type { InboxDeps, InboxHandler } from './webhook-inbox.types.ts';

/** The second chance of events that were stored and not applied (decisions, section 5). */
export interface ApplyWaitingEvents {
  /** Tries one. @throws what applying it throws; it waits on, a little longer. */
  applyOne(eventId: string): Promise<void>;
  /** All that are due, oldest first, one transaction each. */
  applyDue(): Promise<void>;
  /** Events that came before their subject was known. */
  applyMatchable(): Promise<void>;
  /** Clears the bodies of nobody that is known, 30 days after they came. */
  purgeBodies(): Promise<void>;
}

type ApplyWaitingDeps<E> = InboxDeps & { readonly handler: InboxHandler<E> };

const batch = 100;
const purgeBatch = 1000;
/** How far back events of unknown subjects are looked at again. */
const unmatchedForMs = 3 * 24 * 60 * 60_000;

/** Applies a stored event that waits, in the transaction that locked it. */
const applyStored = async <E>(
  db: Db,
  deps: ApplyWaitingDeps<E>,
  stored: StoredEvent,
): Promise<void> => {
  const { id, gateway, sealedBody, sealedForUserId, receivedAt } = stored;
  const { handler, vault, clock } = deps;
  const store = createWebhookInboxStore(db, handler.source);
  if (sealedBody === null) throw new Error(`the body of event ${id} was purged`);
  const { event } = await openBody(vault, db, { id, sealedBody, sealedForUserId });
  if (event === null) return store.settle(id, 'UNREADABLE', clock.now());
  const received = { gateway, receivedAt, event: handler.parse(event) };
  const meaning = await handler.interpret(db, received);
  const found = (await meaning.apply?.()) ?? meaning.status;
  return store.settle(id, found, clock.now());
};

/** See `ApplyWaitingEvents`. */
export const createApplyWaitingEvents = <E>(deps: ApplyWaitingDeps<E>): ApplyWaitingEvents => {
  const { db, inTransaction, clock, logger, handler } = deps;
  const { source } = handler;
  const store = createWebhookInboxStore(db, source);

  const applyOne = async (eventId: string): Promise<void> => {
    let attempts = 0;
    try {
      await inTransaction(async (tx) => {
        const stored = await createWebhookInboxStore(tx, source).lockWaiting(eventId);
        if (stored === undefined) return;
        attempts = stored.attempts;
        await applyStored(tx, deps, stored);
      });
    } catch (error) {
      const wait = retryDelayMs(attempts + 1);
      await store.postpone(eventId, describeError(error).type, addMs(clock.now(), wait));
      throw error;
    }
  };

  const applyEach = async (eventIds: readonly string[]): Promise<void> => {
    for (const eventId of eventIds) {
      await applyOne(eventId).catch((error: unknown) => {
        const err = describeError(error);
        logger.error({ source, eventId, err }, 'webhook event still waits');
      });
    }
  };

  return {
    applyOne,
    async applyDue() {
      const now = clock.now();
      await applyEach(await store.listDue(now, addMs(now, 2 * longestRetryMs), batch));
    },
    async applyMatchable() {
      const since = addMs(clock.now(), -unmatchedForMs);
      await applyEach(await handler.listMatchable(db, since, batch));
    },
    async purgeBodies() {
      await store.purge(clock.now(), purgeBatch);
    },
  };
};
