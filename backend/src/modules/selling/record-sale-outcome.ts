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
 * The state of a sale by the provider's order-status. SOLD: the provider bought the customer's
 * gold. FAILED: it did not and will not. NOT_CONFIRMED: it has not yet, but a confirm may still
 * arrive. UNKNOWN: it gave no response, or no final status.
 */
export type SaleVerdict = 'SOLD' | 'FAILED' | 'NOT_CONFIRMED' | 'UNKNOWN';

/** The verdict by the provider's record of a confirm. */
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

/** Returns why a verified sale that the provider did not report as sold waits for a person. */
export const reviewOf = (
  verdict: Exclude<SaleVerdict, 'SOLD'>,
  confirmed: Outcome<unknown> | undefined,
): SaleReview => {
  const wasRefused = confirmed?.kind === 'refused' && !isUnavailable(confirmed);
  if (verdict === 'FAILED' || wasRefused) {
    return {
      code: 'SELL_REFUSED_AFTER_VERIFY',
      reason: 'The provider refused the sale after it had verified it; the grams stay reserved.',
    };
  }
  return {
    code: 'SELL_UNKNOWN_OUTCOME',
    reason:
      'The provider did not say whether it bought the gold ' +
      `(${verdict === 'NOT_CONFIRMED' ? 'not confirmed so far' : 'no final answer'}); ` +
      'the grams stay reserved.',
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
  /** The lease of the worker that sent the confirm, or undefined for a caller that only queried. */
  readonly held?: { readonly confirmId: string; readonly holderId: string } | undefined;
  /** True if the confirm that was just tried certainly had no effect. */
  readonly wasRefused?: boolean;
  /**
   * True if the provider's status, or the end of the time to confirm, may end the sale as FAILED.
   */
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

const confirm = async (
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

const fail = async (
  deps: SaleOutcomeDeps,
  tx: Db,
  order: VerifiedSale,
  outcome: SaleOutcome,
): Promise<void> => {
  const { id, userId, grams, manualReviewCode: code } = order;
  const { actor, cause, requestId, reason, detail } = outcome;
  const at = deps.clock.now();
  const known = await findLatestConfirm(tx, 'sell-confirm', id);
  if (known !== undefined) await markRefused(tx, known.id, at, reason);
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

/** Leaves the sale VERIFIED, under review, with its grams reserved. */
const sendToReview = async (
  { clock, logger }: SaleOutcomeDeps,
  tx: Db,
  order: VerifiedSale,
  { held, reason, wasRefused = false, review }: SaleOutcome,
): Promise<RecordedSale> => {
  const at = clock.now();
  if (held !== undefined) {
    // A process that lost its lease meanwhile leaves the sale to the new holder.
    const unknown = { holderId: held.holderId, wasRefused, at, reason };
    if (!(await markUnknown(tx, held.confirmId, unknown))) return 'LEFT';
  } else {
    const known = await findLatestConfirm(tx, 'sell-confirm', order.id);
    if (known?.isHeld === true) return 'LEFT';
    if (known !== undefined) await markQueried(tx, known.id, at);
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
    await confirm(deps, tx, order, outcome);
    return 'CONFIRMED';
  }
  if (!outcome.mayFail) return sendToReview(deps, tx, order, outcome);
  await fail(deps, tx, order, outcome);
  return 'FAILED';
};

/**
 * Records the outcome of a verified sale, in one transaction that reads everything again under the
 * order's lock (contract: states > Gold order, sell). `also` runs in the same transaction if the
 * sale changed its state.
 */
export const recordSaleOutcome = async (
  deps: SaleOutcomeDeps,
  outcome: SaleOutcome,
  also?: (tx: Db, before: GoldOrder) => Promise<void>,
): Promise<RecordedSale> => {
  const { userId, recorded } = await deps.inTransaction(async (tx) => {
    const order = await lockOrder(tx, outcome.orderId);
    invariant(order, `sell order ${outcome.orderId} is there`);
    const kind = await record(deps, tx, order, outcome);
    if (kind === 'CONFIRMED' || kind === 'FAILED') await also?.(tx, order);
    return { recorded: kind, userId: order.userId };
  });
  if (recorded === 'CONFIRMED' || recorded === 'FAILED') await deps.portfolios.drop(userId);
  return recorded;
};
