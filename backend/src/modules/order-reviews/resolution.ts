import { AppError } from '../../platform/errors/app-error.ts';
import type { Db } from '../../platform/db/index.ts';
import type { AllocationDeps } from '../buying/index.ts';
import {
  hasGold,
  lockOrder,
  type BuyStatus,
  type GoldOrder,
  transitionBuy,
  type OrderChanges,
  type TransitionDeps,
} from '../orders/index.ts';
import {
  fetchRefundState,
  pollForResolution,
  type HeldPayment,
  type PaymentsDeps,
  type RefundState,
} from '../payments/index.ts';
import { findLatestConfirm, type Confirm } from '../provider-operations/index.ts';
import type { SaleInitiator, SaleOutcomeDeps } from '../selling/index.ts';
import type { ResolutionName } from './order-reviews.schemas.ts';

/** An operator's request to end a review, with its actor and its audit row. */
export interface Resolution {
  readonly orderId: string;
  readonly resolution: ResolutionName;
  readonly reference: string | undefined;
  readonly note: string | undefined;
  /** The operator, for the order's history. */
  readonly by: SaleInitiator;
  /** Writes the audit row, in the transaction that resolves the order. */
  readonly audit: (tx: Db, before: GoldOrder) => Promise<void>;
}

/**
 * One way to end a review. Throws an AppError, and changes nothing, if it does not fit the order.
 */
export type Resolve = (deps: ReviewDeps, order: GoldOrder, request: Resolution) => Promise<void>;

/** Creates the error 409 for a resolution that does not fit the order, or no longer does. */
export const illegalTransition = (message: string, order?: Pick<GoldOrder, 'status'>): AppError =>
  new AppError('ILLEGAL_TRANSITION', {
    message,
    ...(order !== undefined && { details: { status: order.status } }),
  });

/** Creates the error 409 for a resolution that must wait until an earlier attempt is decided. */
export const undecided = (message?: string): AppError =>
  new AppError('OUTCOME_UNDECIDED', message === undefined ? {} : { message });

/** Creates the error 503 for a gateway or provider that does not respond to a query. */
export const notAnswered = (who: string): AppError =>
  new AppError('SERVICE_UNAVAILABLE', {
    message: `${who} is not responding. The review stays open. Please try again in a few minutes.`,
  });

/**
 * Returns true for an order under review. A sale stays VERIFIED, with a review code. Other orders
 * are in MANUAL_REVIEW.
 */
export const isUnderReview = ({ type, status, manualReviewCode }: GoldOrder): boolean =>
  type === 'SELL' ? status === 'VERIFIED' && manualReviewCode !== null : status === 'MANUAL_REVIEW';

/**
 * Returns the last confirm of a buy, or undefined if there is none. Throws if its outcome is
 * unknown, before any gateway is queried.
 */
export const requireDecided = async (db: Db, orderId: string): Promise<Confirm | undefined> => {
  const latest = await findLatestConfirm(db, 'buy-confirm', orderId);
  if (latest?.status === 'INTENDED' || latest?.status === 'UNKNOWN') throw undecided();
  return latest;
};

/** Locks a buy. Throws if it is no longer under review. */
export const lockReviewed = async (tx: Db, orderId: string): Promise<GoldOrder> => {
  const order = await lockOrder(tx, orderId);
  if (order?.status !== 'MANUAL_REVIEW') {
    throw illegalTransition('The order is not under review any more.', order);
  }
  return order;
};

/** The dependencies that all resolutions share. */
export interface ReviewDeps extends AllocationDeps, SaleOutcomeDeps {
  readonly metrics: SaleOutcomeDeps['metrics'];
  readonly payments: PaymentsDeps;
}

/** Ends the review of a purchase that is locked, in the transaction of its resolution. */
export const endReview = (
  deps: TransitionDeps,
  tx: Db,
  { by, orderId: id }: Resolution,
  { to, cause }: { readonly to: BuyStatus; readonly cause: string },
  more: OrderChanges = {},
): Promise<void> => {
  const changes = { manualReviewCode: null, manualReviewReason: null, ...more };
  return transitionBuy(deps, tx, { id, status: 'MANUAL_REVIEW' }, { ...by, to, cause, changes });
};

/**
 * Records the payments of an order that its gateways have and no event reported. Throws 503 if a
 * gateway does not answer, because an order must not become FAILED while unreported money may
 * exist.
 */
export const recordUnreported = async (
  { payments }: Pick<ReviewDeps, 'payments'>,
  orderId: string,
): Promise<void> => {
  if (!(await pollForResolution(payments, orderId))) throw notAnswered('The payment gateway');
};

/** A held payment, and the state that its gateway reports. */
export interface QueriedPayment {
  readonly payment: HeldPayment;
  readonly state: Exclude<RefundState, { kind: 'NO_ANSWER' }>;
}

/** Queries the gateway for the state of a payment's money. Throws 503 without an answer. */
export const queryGateway = async (
  { payments }: ReviewDeps,
  payment: HeldPayment,
  reference?: string,
): Promise<QueriedPayment['state']> => {
  const state = await fetchRefundState(payments, payment, reference);
  if (state.kind === 'NO_ANSWER') throw notAnswered('The payment gateway');
  return state;
};

/** Queries the gateways for each payment of an order, one after the other. */
export const queryGateways = async (
  deps: ReviewDeps,
  payments: readonly HeldPayment[],
  reference?: string,
): Promise<QueriedPayment[]> => {
  const queried: QueriedPayment[] = [];
  for (const payment of payments) {
    queried.push({ payment, state: await queryGateway(deps, payment, reference) });
  }
  return queried;
};

/** Returns true for a captured payment other than the one that pays for its order. */
export const isUnplaced = ({ disposition }: HeldPayment): boolean => disposition !== 'APPLIED';

/** Throws for an order whose gold the customer has not got, or no longer has. */
export const requireGold = (order: GoldOrder): void => {
  if (!hasGold(order)) throw illegalTransition('The order has no gold to keep or recover.');
};

const idsOf = (payments: readonly HeldPayment[]): string =>
  payments
    .flatMap(({ id, hasOpenFailure, reversals }) => [
      `${id}${hasOpenFailure ? ' failed' : ''}`,
      ...reversals.map((one) => one.id),
    ])
    .join(' ');

/** Throws if the order's payments have changed since they were queried. */
export const requireSamePayments = (
  queried: readonly HeldPayment[],
  now: readonly HeldPayment[],
): void => {
  if (idsOf(queried) !== idsOf(now)) throw illegalTransition('The order has changed meanwhile.');
};
