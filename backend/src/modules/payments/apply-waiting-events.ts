import { addMs } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { describeError, type Logger } from '../../platform/observability/index.ts';
import { factOf, infoOf, recordUnmatched } from './payment-fact.ts';
import { createPaymentOrderStore } from './payment-order.store.ts';
import { longestRetryMs, retryDelayMs } from './retry-delay.ts';
import { openEvent } from './sealed-event.ts';
import type { TakeInDeps } from './take-in-event.ts';
import { createWebhookInboxStore, type StoredEvent } from './webhook-inbox.store.ts';

export interface ApplyWaitingDeps extends TakeInDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly logger: Logger;
}

const batch = 100;
/** How far back events of unknown orders are looked at again. */
const unmatchedForMs = 3 * 24 * 60 * 60_000;

/** Applies a stored event that waits, in the transaction that locked it. */
const applyStored = async (db: Db, deps: ApplyWaitingDeps, stored: StoredEvent): Promise<void> => {
  const { id, gateway, sealedBody, sealedForUserId, receivedAt } = stored;
  const inbox = createWebhookInboxStore(db);
  if (sealedBody === null) throw new Error(`the body of event ${id} was purged`);
  const { event } = await openEvent(deps.vault, db, { id, sealedBody, sealedForUserId });
  const now = deps.clock.now();
  if (event === undefined) return inbox.settle(id, 'UNREADABLE', now);
  // What counts is when we learned of it, not when it could be applied.
  const fact = factOf(event, gateway, receivedAt);
  if (fact === undefined) return inbox.settle(id, 'IGNORED', now);
  const target = await createPaymentOrderStore(db).findByGatewayOrder(gateway, fact.gatewayOrderId);
  if (target !== undefined) await deps.applyPayment(db, target, fact, infoOf(event.name, gateway));
  else await recordUnmatched(db, deps.random, fact);
  return inbox.settle(id, target === undefined ? 'UNMATCHED' : 'APPLIED', now);
};

/** The second chance of events that were stored and not applied (decisions, section 5). */
export const createApplyWaitingEvents = (deps: ApplyWaitingDeps) => {
  const { db, inTransaction, clock, logger } = deps;
  const inbox = createWebhookInboxStore(db);

  /** Tries one. @throws what applying it throws; it waits on, a little longer. */
  const applyOne = async (id: string): Promise<void> => {
    let attempts = 0;
    try {
      await inTransaction(async (tx) => {
        const stored = await createWebhookInboxStore(tx).lockWaiting(id);
        if (stored === undefined) return;
        attempts = stored.attempts;
        await applyStored(tx, deps, stored);
      });
    } catch (error) {
      const wait = retryDelayMs(attempts + 1);
      await inbox.postpone(id, describeError(error).type, addMs(clock.now(), wait));
      throw error;
    }
  };

  const applyEach = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) {
      await applyOne(id).catch((error: unknown) => {
        logger.error({ eventId: id, err: describeError(error) }, 'payment event still waits');
      });
    }
  };

  return {
    applyOne,
    /** All that are due, oldest first, one transaction each. */
    async applyDue(): Promise<void> {
      const now = clock.now();
      await applyEach(await inbox.listDue(now, addMs(now, 2 * longestRetryMs), batch));
    },
    /** Events that came before their payment order knew its gateway order. */
    async applyMatchable(): Promise<void> {
      await applyEach(await inbox.listMatchable(addMs(clock.now(), -unmatchedForMs), batch));
    },
    async purgeBodies(): Promise<void> {
      await inbox.purge(clock.now(), 1000);
    },
  };
};

export type ApplyWaitingEvents = ReturnType<typeof createApplyWaitingEvents>;
