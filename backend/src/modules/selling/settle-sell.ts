import type { Db } from '../../platform/db/index.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import { debitHolding, releaseGrams } from '../holdings/index.ts';
import { insertPayout } from '../payouts/index.ts';
import {
  type Actor,
  type GoldOrder,
  type VerifiedSell,
  isVerifiedSell,
  lockOrder,
  notifySaleFailed,
  notifySold,
  sendSellToReview,
} from '../orders/index.ts';
import {
  findLatestConfirm,
  markDone,
  markQueried,
  markRefused,
  markUnknown,
  newConfirm,
  recordIntent,
} from '../provider-operations/index.ts';
import type { SellDeps } from './sell.deps.ts';
import type { SellReview, SellVerdict } from './sell.rules.ts';

export interface MovedBy {
  readonly actor: Actor;
  readonly requestId?: string | undefined;
  /** Kept in the history beside the move. */
  readonly detail?: JsonObject;
}

/** What is known of a verified sell after the provider was asked. */
export interface SellFinding extends MovedBy {
  readonly orderId: string;
  readonly verdict: SellVerdict;
  readonly cause: string;
  /** For the record of the intent. */
  readonly reason: string;
  readonly invoiceId?: string | undefined;
  /** Held by whoever tried the confirm; undefined for one who only asked. */
  readonly held?: { readonly confirmId: string; readonly holderId: string };
  /** The confirm that was just tried certainly did not happen. */
  readonly certainlyNot?: boolean;
  /** The provider's word, or the end of its time, lets the sell end as FAILED. */
  readonly mayFail: boolean;
  /** Where nothing is final: the review that a sell goes to. */
  readonly review: SellReview;
}

export type SettledSell = 'CONFIRMED' | 'FAILED' | 'REVIEW' | 'LEFT';

/**
 * Writes what the provider's word means for a verified sell: one transaction under the order's
 * lock, in which everything is read again (decisions, section 3).
 */
export const createSettleSell = (deps: SellDeps) => {
  const { inTransaction, clock, random, transitionSell, notify } = deps;
  const cleared = { manualReviewCode: null, manualReviewReason: null };

  const recordSold = async (db: Db, order: VerifiedSell): Promise<void> => {
    const at = clock.now();
    const known = await findLatestConfirm(db, 'sell-confirm', order.id);
    const id = known?.id ?? random.uuid();
    // Sold without an intent of ours: a database that was set back. The books agree again.
    if (known === undefined) {
      const lease = { holderId: random.uuid(), leaseMs: 0 };
      await recordIntent(db, 'sell-confirm', newConfirm(order, { id, at }), lease);
    }
    await markDone(db, id, at);
  };

  const confirm = async (db: Db, order: VerifiedSell, found: SellFinding): Promise<void> => {
    const { id: orderId, userId, grams, proceedsPaise: amountPaise, bankAccountId } = order;
    const { actor, cause, requestId, detail, invoiceId } = found;
    await recordSold(db, order);
    await transitionSell(db, order, {
      to: 'CONFIRMED',
      actor,
      cause,
      requestId,
      ...(detail !== undefined && { detail }),
      changes: { ...cleared, ...(invoiceId !== undefined && { providerInvoiceId: invoiceId }) },
    });
    const movement = { movementId: random.uuid(), userId, orderId, grams, at: clock.now() };
    await debitHolding(db, movement);
    await insertPayout(deps, db, { userId, orderId, bankAccountId, amountPaise });
    await notifySold(db, notify, { id: orderId, userId, grams, amountPaise });
  };

  const fail = async (db: Db, order: VerifiedSell, found: SellFinding): Promise<void> => {
    const { id, userId, grams, manualReviewCode: code } = order;
    const { actor, cause, requestId, reason, detail } = found;
    const at = clock.now();
    const known = await findLatestConfirm(db, 'sell-confirm', id);
    if (known !== undefined) await markRefused(db, known.id, at, reason);
    await transitionSell(db, order, {
      to: 'FAILED',
      actor,
      cause,
      requestId,
      changes: { ...cleared, failureCode: 'NOT_SOLD' },
      detail: { ...detail, ...(code !== null && { code }), reason },
    });
    await releaseGrams(db, { userId, grams, at });
    await notifySaleFailed(db, notify, { id, userId, grams });
  };

  const leaveOpen = async (
    db: Db,
    order: VerifiedSell,
    found: SellFinding,
  ): Promise<SettledSell> => {
    const { held, reason, certainlyNot = false, review } = found;
    const at = clock.now();
    if (held !== undefined) {
      // One that lost its lease on the way leaves the sell to whoever has it now.
      const { confirmId, holderId } = held;
      const outcome = { holderId, wasRefused: certainlyNot, at, reason };
      if (!(await markUnknown(db, confirmId, outcome))) return 'LEFT';
    } else {
      const known = await findLatestConfirm(db, 'sell-confirm', order.id);
      if (known?.isHeld === true) return 'LEFT';
      if (known !== undefined) await markQueried(db, known.id, at);
    }
    const isNew = await sendSellToReview(db, order.id, { ...review, at });
    if (isNew) {
      const { code } = review;
      deps.logger.warn({ orderId: order.id, code, reason }, 'a sell is under review');
    }
    return 'REVIEW';
  };

  const settleOn = async (db: Db, order: GoldOrder, found: SellFinding): Promise<SettledSell> => {
    if (!isVerifiedSell(order)) {
      if (found.verdict === 'SOLD' && order.status === 'FAILED') {
        deps.logger.error({ orderId: order.id }, 'gold was sold for a sell that had failed');
      }
      return 'LEFT';
    }
    if (found.verdict === 'SOLD') {
      await confirm(db, order, found);
      return 'CONFIRMED';
    }
    if (!found.mayFail) return leaveOpen(db, order, found);
    await fail(db, order, found);
    return 'FAILED';
  };

  return async (
    found: SellFinding,
    /** More to write in the same transaction, when the sell was moved. */
    also?: (db: Db, before: GoldOrder) => Promise<void>,
  ): Promise<SettledSell> => {
    const { userId, settled } = await inTransaction(async (db) => {
      const order = await lockOrder(db, found.orderId);
      if (order === undefined) throw new Error(`there is no order ${found.orderId}`);
      const kind = await settleOn(db, order, found);
      if (kind === 'CONFIRMED' || kind === 'FAILED') await also?.(db, order);
      return { settled: kind, userId: order.userId };
    });
    if (settled === 'CONFIRMED' || settled === 'FAILED') await deps.portfolios.drop(userId);
    return settled;
  };
};

export type SettleSell = ReturnType<typeof createSettleSell>;
