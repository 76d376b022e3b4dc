import type { ProviderTransactionStatus } from '../../adapters/gold-provider/port.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import type { Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import {
  type ManualReviewCode,
  type GoldOrder,
  type VerifiedSale,
  isVerifiedSale,
  lockOrder,
  notifySaleFailed,
  notifySold,
  markSaleInReview,
  transitionSale,
} from '../orders/index.ts';
import { debitHolding, releaseSale } from '../holdings/index.ts';
import { insertPayout } from '../payouts/index.ts';
import {
  findLatestConfirm,
  markLatestDone,
  markQueried,
  markRefused,
  markUnknown,
  readStatus,
  recordUnintended,
} from '../provider-operations/index.ts';
import type { SaleInitiator, SaleOutcomeDeps } from './selling.types.ts';

/**
 * The outcome of a sale, by the provider's order status. SOLD: the provider bought the customer's
 * gold. FAILED: it has not bought the gold and never will. NOT_CONFIRMED: it has not bought the gold
 * so far, but a confirm may still arrive. UNKNOWN: it gave no response, or no final status.
 */
export type SaleVerdict = 'SOLD' | 'FAILED' | 'NOT_CONFIRMED' | 'UNKNOWN';

/** The verdict for each kind of the provider's record of a confirm, and of a turn's result. */
export const saleVerdicts = {
  DONE: 'SOLD',
  REFUSED: 'FAILED',
  NONE: 'NOT_CONFIRMED',
  INTENDED: 'UNKNOWN',
  UNKNOWN: 'UNKNOWN',
} as const;

export const readSaleVerdict = (status: Outcome<ProviderTransactionStatus>): SaleVerdict =>
  saleVerdicts[readStatus(status).kind];

interface SaleReview {
  readonly code: Extract<ManualReviewCode, 'SELL_UNKNOWN_OUTCOME' | 'SELL_REFUSED_AFTER_VERIFY'>;
  readonly reason: string;
}

/** Returns the code and reason of the review of a verified sale that is not reported as sold. */
export const reviewOf = (
  verdict: Exclude<SaleVerdict, 'SOLD'>,
  confirmed: Outcome<unknown> | undefined,
): SaleReview => {
  const wasRefused = confirmed?.kind === 'refused' && !isUnavailable(confirmed);
  if (verdict === 'FAILED' || wasRefused) {
    return {
      code: 'SELL_REFUSED_AFTER_VERIFY',
      reason: 'The provider refused the sale after it had verified it. The grams stay reserved.',
    };
  }
  return {
    code: 'SELL_UNKNOWN_OUTCOME',
    reason:
      'The provider did not say whether it bought the gold ' +
      `(${verdict === 'NOT_CONFIRMED' ? 'not confirmed so far' : 'no final answer'}). ` +
      'The grams stay reserved.',
  };
};

/** The outcome of a verified sale after the provider was queried. */
export interface SaleOutcome extends SaleInitiator {
  readonly orderId: string;
  readonly verdict: SaleVerdict;
  readonly cause: string;
  /** The reason that is recorded with the intent. */
  readonly reason: string;
  readonly invoiceId?: string | undefined;
  /** The lease of the worker that sent the confirm, or undefined if the caller only queried. */
  readonly held?: { readonly confirmId: string; readonly holderId: string } | undefined;
  /** True if the last request had certainly no effect. */
  readonly wasRefused?: boolean;
  /** True if a verdict other than SOLD ends the sale as FAILED. Otherwise it goes to review. */
  readonly mayFail: boolean;
  /** The review of the sale if the outcome is not final. */
  readonly review: SaleReview;
}

/** The result of recording. LEFT if another process has the sale or it is no longer VERIFIED. */
type RecordedSale = 'CONFIRMED' | 'FAILED' | 'REVIEW' | 'LEFT';

const noReview = { manualReviewCode: null, manualReviewReason: null };

const markConfirmDone = async (
  { clock, random }: SaleOutcomeDeps,
  tx: Db,
  order: VerifiedSale,
): Promise<void> => {
  const at = clock.now();
  if ((await markLatestDone(tx, 'sell-confirm', order.id, at)) !== undefined) return;
  await recordUnintended(tx, 'sell-confirm', order, { id: random.uuid(), at });
};

const completeSale = async (
  deps: SaleOutcomeDeps,
  tx: Db,
  order: VerifiedSale,
  outcome: SaleOutcome,
): Promise<void> => {
  const { id: orderId, userId, grams, proceedsPaise: amountPaise, bankAccountId } = order;
  const { actor, cause, requestId, detail, invoiceId } = outcome;
  await markConfirmDone(deps, tx, order);
  await transitionSale(deps, tx, order, {
    to: 'CONFIRMED',
    actor,
    cause,
    requestId,
    ...(detail !== undefined && { detail }),
    changes: { ...noReview, ...(invoiceId !== undefined && { providerInvoiceId: invoiceId }) },
  });
  const at = deps.clock.now();
  await debitHolding(tx, { movementId: deps.random.uuid(), userId, orderId, grams, at });
  await insertPayout(deps, tx, { userId, orderId, bankAccountId, amountPaise });
  await notifySold(tx, deps.notify, { id: orderId, userId, grams, amountPaise });
};

const failSale = async (
  deps: SaleOutcomeDeps,
  tx: Db,
  order: VerifiedSale,
  outcome: SaleOutcome,
): Promise<void> => {
  const { id, userId, grams, manualReviewCode: code } = order;
  const { actor, cause, requestId, reason, detail } = outcome;
  const at = deps.clock.now();
  const latest = await findLatestConfirm(tx, 'sell-confirm', id);
  if (latest !== undefined) await markRefused(tx, latest.id, at, reason);
  await transitionSale(deps, tx, order, {
    to: 'FAILED',
    actor,
    cause,
    requestId,
    changes: { ...noReview, failureCode: 'NOT_SOLD' },
    detail: { ...detail, ...(code !== null && { code }), reason },
  });
  await releaseSale(tx, { userId, grams, at, placedAt: order.createdAt });
  await notifySaleFailed(tx, deps.notify, { id, userId, grams });
};

/** Puts the sale under review. It stays VERIFIED, with its grams reserved. */
const sendToReview = async (
  { clock, logger }: SaleOutcomeDeps,
  tx: Db,
  order: VerifiedSale,
  { held, reason, wasRefused = false, review }: SaleOutcome,
): Promise<RecordedSale> => {
  const at = clock.now();
  if (held !== undefined) {
    // A process that has lost its lease leaves the sale to the new holder.
    const unknown = { holderId: held.holderId, wasRefused, at, reason };
    if (!(await markUnknown(tx, held.confirmId, unknown))) return 'LEFT';
  } else {
    const latest = await findLatestConfirm(tx, 'sell-confirm', order.id);
    if (latest?.isHeld === true) return 'LEFT';
    if (latest !== undefined) await markQueried(tx, latest.id, at);
  }
  if (await markSaleInReview(tx, order.id, { ...review, at })) {
    logger.warn({ orderId: order.id, code: review.code, reason }, 'a sale is under review');
  }
  return 'REVIEW';
};

const record = async (
  deps: SaleOutcomeDeps,
  tx: Db,
  order: GoldOrder,
  outcome: SaleOutcome,
): Promise<RecordedSale> => {
  if (!isVerifiedSale(order)) {
    if (outcome.verdict === 'SOLD' && order.status === 'FAILED') {
      deps.logger.error({ orderId: order.id }, 'gold was sold for a sale that had failed');
    }
    return 'LEFT';
  }
  if (outcome.verdict === 'SOLD') {
    await completeSale(deps, tx, order, outcome);
    return 'CONFIRMED';
  }
  if (!outcome.mayFail) return sendToReview(deps, tx, order, outcome);
  await failSale(deps, tx, order, outcome);
  return 'FAILED';
};

/**
 * Records the outcome of a verified sale (contract: states > Gold order, sell). One transaction reads
 * everything again under the order's lock. `onDecided` runs in it if the sale became CONFIRMED or
 * FAILED, with the order as it was before.
 */
export const recordSaleOutcome = async (
  deps: SaleOutcomeDeps,
  outcome: SaleOutcome,
  onDecided?: (tx: Db, before: GoldOrder) => Promise<void>,
): Promise<RecordedSale> => {
  const { userId, recorded } = await deps.inTransaction(async (tx) => {
    const order = await lockOrder(tx, outcome.orderId);
    invariant(order, `sell order ${outcome.orderId} is there`);
    const result = await record(deps, tx, order, outcome);
    if (result === 'CONFIRMED' || result === 'FAILED') await onDecided?.(tx, order);
    return { recorded: result, userId: order.userId };
  });
  if (recorded === 'CONFIRMED' || recorded === 'FAILED') await deps.portfolios.drop(userId);
  return recorded;
};
